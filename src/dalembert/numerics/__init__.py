"""Motion: equations compiled to machine code, integrated by one of several engines behind one face."""
