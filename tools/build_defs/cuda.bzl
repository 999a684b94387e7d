"""Finds the CUDA toolkit: $CUDA_HOME, $CUDA_PATH, nvcc on PATH, then /usr/local/cuda."""

CUDA_MISSING = "a CUDA toolkit is needed and none was found; install one or set CUDA_HOME to the folder of bin+nvcc and cupti.h"

_ENVIRON = ["CUDA_HOME", "CUDA_PATH", "PATH"]

def _find_cupti(repository_ctx, home):
    for sub in ["include", "extras/CUPTI/include", "targets/x86_64-linux/include"]:
        if repository_ctx.path(home + "/" + sub + "/cupti.h").exists:
            return home + "/" + sub
    return None

def _cuda_configure_impl(repository_ctx):
    env = repository_ctx.os.environ
    explicit = env.get("CUDA_HOME") or env.get("CUDA_PATH")
    candidates = [explicit] if explicit else []
    if not explicit:
        nvcc = repository_ctx.which("nvcc")
        if nvcc:
            candidates.append(str(nvcc.realpath.dirname.dirname))
        candidates.append("/usr/local/cuda")
    home = ""
    cupti = None
    for c in candidates:
        cupti = _find_cupti(repository_ctx, c)
        if cupti and repository_ctx.path(c + "/include/cuda.h").exists and repository_ctx.path(c + "/bin/nvcc").exists:
            home = c
            break
    have = home != ""
    if have:
        repository_ctx.symlink(home + "/include", "cuda_include")
        if cupti != home + "/include":
            repository_ctx.symlink(cupti, "cupti_include")
    repository_ctx.file("defs.bzl", """
HAVE_CUDA = {have}
CUDA_HOME = "{home}"
NVCC = "{home}/bin/nvcc"

# For target_compatible_with: empty where there is a toolkit.
CUDA_COMPATIBLE = [] if HAVE_CUDA else ["@{ws}//tools/build_defs:{missing}"]
""".format(
        have = have,
        home = home,
        missing = CUDA_MISSING,
        ws = repository_ctx.attr.workspace,
    ))
    repository_ctx.file("BUILD", """
load("@rules_cc//cc:defs.bzl", "cc_library")
load(":defs.bzl", "CUDA_COMPATIBLE")

# cuda.h and cupti.h; no library: libcupti and libcuda are opened at run time.
cc_library(
    name = "cupti_headers",
    hdrs = glob([
        "cuda_include/*.h",
        "cuda_include/crt/*.h",
        "cuda_include/nvtx3/**",
        "cupti_include/*.h",
    ], allow_empty = True),
    includes = [{includes}],
    target_compatible_with = CUDA_COMPATIBLE,
    visibility = ["//visibility:public"],
)
""".format(includes = ("\"cuda_include\", \"cupti_include\"" if cupti != home + "/include" else "\"cuda_include\"") if have else ""))

_cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    attrs = {"workspace": attr.string(default = "gstrace")},
    environ = _ENVIRON,
    configure = True,
    local = True,
)

def cuda_configure(name):
    _cuda_configure(name = name)
