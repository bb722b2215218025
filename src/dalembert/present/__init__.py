"""What people and other programs see: JSON, text, LaTeX (and later pages, plots and animations)."""
