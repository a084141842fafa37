"""Runs a Yosys script through the pyosys module, which brings no command line of its own."""
import sys

from pyosys import libyosys as ys

ys.run_pass("script " + sys.argv[1], ys.Design())
