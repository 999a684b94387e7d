"""What WORKSPACE sets up, for Bazel 7 and later (MODULE.bazel)."""

load("//tools/build_defs:cuda.bzl", "cuda_configure")
load("//tools/build_defs:system_lib.bzl", "system_libraries")

def _system_deps_impl(_module_ctx):
    cuda_configure(name = "local_config_cuda")
    system_libraries()

system_deps = module_extension(implementation = _system_deps_impl)
