"""gst_fuzz_test: one LLVMFuzzerTestOneInput, run over its corpus in every test run and by libFuzzer.

gst_fuzz_test(name = "fuzz_load", srcs = ["fuzz_load.c"], corpus = ["//testdata:fuzz_load"], deps = [...])
makes
  :fuzz_load          a test: the target over each file of the corpus, any compiler, no libFuzzer
  :fuzz_load_fuzzer   a program (manual, tag "fuzz"):
      bazel build --config=fuzz //X:fuzz_load_fuzzer && bazel-bin/X/fuzz_load_fuzzer NEW_CORPUS SEEDS
tools/test.sh runs each program tagged "fuzz" for a minute, with the files of the corpus as seeds.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools/build_defs:copts.bzl", "GSTRACE_COPTS")

def gst_fuzz_test(name, srcs, corpus, deps = [], copts = GSTRACE_COPTS, size = "small", tags = []):
    """Makes the test and the fuzzer.

    Args:
      name: of the test; the fuzzer is name + "_fuzzer".
      srcs: C files; one defines LLVMFuzzerTestOneInput.
      corpus: files (or filegroups of files) that the test reads and the fuzzer starts from.
      deps: as of a cc_library.
      copts: as of a cc_library.
      size: of the test.
      tags: of the test.
    """
    cc_library(
        name = name + "_target",
        testonly = True,
        srcs = srcs,
        copts = copts,
        linkstatic = True,
        deps = deps,
    )
    native.filegroup(
        name = name + "_corpus",
        testonly = True,
        srcs = corpus,
    )
    cc_test(
        name = name,
        size = size,
        srcs = ["//tools:fuzz_main.c"],
        args = ["$(rootpaths :%s_corpus)" % name],
        copts = GSTRACE_COPTS,
        data = [":%s_corpus" % name],
        tags = tags,
        deps = [":%s_target" % name],
    )
    cc_binary(
        name = name + "_fuzzer",
        testonly = True,
        # In the runfiles, where tools/test.sh finds them.
        data = [":%s_corpus" % name],
        linkopts = ["-fsanitize=fuzzer"],
        tags = [
            "fuzz",
            "manual",
        ],
        deps = [":%s_target" % name],
    )
