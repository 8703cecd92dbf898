"""How the kernels of the detection are compiled: bare, and loose for sieves, whose answers are bounds, never for what is
written out."""

from banquise.jit import bare_inner as inner
from banquise.jit import bare_kernel as kernel
from banquise.jit import bare_loose_inner as loose_inner
from banquise.jit import bare_loose_kernel as loose_kernel

__all__ = ["inner", "kernel", "loose_inner", "loose_kernel"]
