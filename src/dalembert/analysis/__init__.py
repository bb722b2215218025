"""Where a theorem meets a trajectory: audits, holonomy, relative equilibria, boundary problems, comparisons."""
