"""Build the package, check it, and try it on every Python at hand: `make release`."""
