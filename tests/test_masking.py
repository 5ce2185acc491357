import pytest
from hypothesis import given
from hypothesis import strategies as st

from l2p_search.errors import UserError, first_line, in_shell
from l2p_search.masking import masked, without_login


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:hunter2@host/db",
        "postgresql+psycopg2://me:hunter2@host:5432/db?sslmode=require",
        "http://me:hunter2@host:5000/ml",
        "https://hunter2@host",
        "mysql://me:hunter2/a@b/c@host/db",  # not quoted, as people do
        "postgresql://:hunter2@host/db",
        "postgresql://me:12345hunter2@host/db",
        "postgresql://host/db?user=me&password=hunter2",
        "http://host/?access_token=hunter2&x=1",
        "postgresql://me:hunter2@host/db?sslpassword=hunter2",
        "postgresql:/me:hunter2@host/db",  # given for a path by mistake
        "postgresql://me:123/hunter2@host/db",  # no port, as no database has a path like that
        "postgresql://me@corp.com:hunter2@host/db",
        "http://host/?pass=hunter2",
        "http://host/?x=1&auth=hunter2",
        "http://host/?API-KEY=hunter2",
        "http://host/?X-Amz-Signature=hunter2",
        "http://host/#access_token=hunter2",
        "mssql+pyodbc:///?odbc_connect=UID=me;PWD=hunter2",
        "mssql+pyodbc:///?odbc_connect=UID%3Dme%3BPWD%3Dhunter2",
    ],
)
@pytest.mark.parametrize("around", ["{}", "'{}'", "cannot reach {}: (refused)", 'a "{}" b {}'])
def test_a_password_is_masked_wherever_the_address_stands(address: str, around: str) -> None:
    said = masked(around.replace("{}", address))
    assert "hunter2" not in said
    assert "***" in said
    assert said == masked(said)


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:5000/path/a@b",
        "http://127.0.0.1:5000/#/experiments/1?orderByKey=a&compass=b",
        "sqlite:////home/me@work/mlflow.db",
        "sqlite:////C:/a@b.db",
        "a mail to me@example.org: see http://host:80",
        "--tracking-uri http://host",
        "",
    ],
)
def test_what_holds_no_password_stays_as_it_is(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    "said",
    [
        "403: {'Authorization': 'Basic bWU6aHVudGVyMg=='} is denied",
        'denied: {"authorization":"Bearer bWU6aHVudGVyMg=="}',
        "GET / Authorization: Basic bWU6aHVudGVyMg== denied",
    ],
)
def test_a_request_that_a_server_says_back_is_masked(said: str) -> None:
    assert "bWU6aHVudGVyMg" not in masked(said)
    assert "denied" in masked(said)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("databricks://scope:hunter2@x", "put-secret scope hunter2@x-host"),
        ("mysql://me:hunter2%2F@host/db", "password='hunter2/' is wrong"),
        ("http://hunter2@host", "token hunter2 has ended"),
        ("http://host/?token=hunter2", "token hunter2 has ended"),
        ("mssql:///?odbc_connect=PWD%3Dhunter2", "login hunter2 failed"),
    ],
)
def test_parts_of_an_address_are_masked_too_where_the_address_is_known(
    address: str, said: str
) -> None:
    assert "hunter2" not in masked(said, of=address)
    assert "***" in masked(said, of=address)
    assert masked("nothing of it", of=address) == "nothing of it"


_SECRET = st.text(
    st.characters(exclude_characters="\x02\x1f\x03'\"", exclude_categories=["Z", "C"]),
    min_size=9,
)


@given(user=st.from_regex(r"[a-z]{0,8}", fullmatch=True), secret=_SECRET.map("SEC{}".format))
def test_no_password_passes_the_border_of_errors(user: str, secret: str) -> None:
    address = f"postgresql://{user}:{secret}@host/db"
    error = UserError(f"{address}: cannot be used")
    for said in (str(error), in_shell(error.message), repr(error), first_line(OSError(address))):
        assert secret not in said


def test_a_link_has_no_login() -> None:
    assert without_login("http://me:a@b@host:5000/#/x@y") == "http://host:5000/#/x@y"
    assert without_login("http://host:5000/x@y") == "http://host:5000/x@y"
