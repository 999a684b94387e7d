"""gst_test_suites: the tiers of one package; //:quick, //:full and //:gpu hold those of all packages."""

# "slow" is for tests of more than some seconds; "gpu" for those that need one.
_TIERS = {
    "full": ["-gpu"],
    "gpu": ["gpu"],
    "quick": [
        "-gpu",
        "-slow",
    ],
}

def gst_test_suites():
    """At the end of a BUILD file with tests: the package's :quick, :full and :gpu."""
    for tier, tags in _TIERS.items():
        # Without `tests` it holds every test of the package that the tags let in.
        native.test_suite(
            name = tier,
            tags = tags,
            visibility = ["//:__pkg__"],
        )

def gst_all_test_suites(packages):
    """In the BUILD file at the top: the tiers of the whole tree.

    Args:
      packages: each package that calls gst_test_suites(); tools/check_tags.sh finds a missing one.
    """
    for tier in _TIERS:
        native.test_suite(
            name = tier,
            tests = ["%s:%s" % (p, tier) for p in packages],
        )
