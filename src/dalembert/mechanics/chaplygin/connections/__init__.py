"""The affine side of a Chaplygin system (Cantrijn, Cortes, de Leon, Martin de Diego 2002).

================  ================  =============================================================================
section           file              what
================  ================  =============================================================================
4.1, 6            ``base``          the reduced connection and Hamel's on the base, and the tensors B, C, K~
4                 ``total``         the nonholonomic connection on Q; Propositions 4.1 to 4.3
4.1, 6, appendix  ``propositions``  which are metric, which coincide; Propositions 4.4, 4.5, 6.1, 6.2, A.2 to A.4
================  ================  =============================================================================
"""
