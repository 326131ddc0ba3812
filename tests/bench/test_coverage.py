from bench.coverage import PAGE, page


def test_the_page_is_what_the_runbooks_and_incidents_are_now() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m bench.coverage"
