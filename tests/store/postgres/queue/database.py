"""A few lines over libpq, and the queue's SQL put into a database as setup does it."""
import ctypes
import os
import pathlib
import re
import sys

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[4]
SQL = ROOT / "src/store/postgres"

try:
    _pq = ctypes.CDLL("libpq.so.5")
except OSError:
    print("cannot be had: the library libpq (package libpq5)", file=sys.stderr)
    raise SystemExit(SKIPPED) from None
for _name, _type in (("PQconnectdb", ctypes.c_void_p), ("PQexec", ctypes.c_void_p),
                     ("PQgetvalue", ctypes.c_char_p), ("PQerrorMessage", ctypes.c_char_p),
                     ("PQresultErrorMessage", ctypes.c_char_p),
                     ("PQresultErrorField", ctypes.c_char_p)):
    getattr(_pq, _name).restype = _type


class Failure(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code} {text}")
        self.code = code


def server_of_the_test_run():
    """Where the fixture of the test run, if there is one, started its server."""
    file = pathlib.Path(os.environ.get("PENSTOCK_TEST_POSTGRES_FILE", ""))
    if not file.is_file():
        print("cannot be had: a PostgreSQL server; set PENSTOCK_URL", file=sys.stderr)
        raise SystemExit(SKIPPED)
    return f"postgresql:///postgres?host={file.read_text().strip()}&port=5433&user=postgres"


class Connection:
    """One thread at a time. Values come as text, null as None."""

    def __init__(self, name="hammer"):
        target = os.environ.get("PENSTOCK_URL") or server_of_the_test_run()
        self._handle = ctypes.c_void_p(_pq.PQconnectdb(target.encode()))
        if _pq.PQstatus(self._handle) != 0:
            raise Failure("08000", _pq.PQerrorMessage(self._handle).decode())
        self.run(f"set application_name = '{name}'; set client_min_messages = warning")

    def run(self, sql):
        result = ctypes.c_void_p(_pq.PQexec(self._handle, sql.encode()))
        try:
            if _pq.PQresultStatus(result) not in (1, 2):
                code = _pq.PQresultErrorField(result, ord("C")) or b"08000"
                raise Failure(code.decode(), (_pq.PQresultErrorMessage(result) or b"?").decode())
            return [tuple(None if _pq.PQgetisnull(result, row, column)
                          else _pq.PQgetvalue(result, row, column).decode()
                          for column in range(_pq.PQnfields(result)))
                    for row in range(_pq.PQntuples(result))]
        finally:
            _pq.PQclear(result)

    def one(self, sql):
        return self.run(sql)[0][0]

    def close(self):
        _pq.PQfinish(self._handle)


def render(text, schema, prefix=""):
    """As Names::render(): variables outside comments, literals and quoted identifiers."""
    def piece(match):
        if match.group("name") is None:
            return match.group(0)
        name = match.group("name")
        name = schema if name == "schema" else prefix + name
        quote = match.group("quote")
        return quote + name.replace(quote, quote * 2) + quote
    return re.sub(r"--[^\n]*|(?<!:):(?P<quote>[\"'])(?P<name>[a-z_][a-z0-9_]*)(?P=quote)"
                  r"|'[^']*'|\"[^\"]*\"", piece, text)


def mutated(text, mutant):
    return "".join(line for line in text.splitlines(keepends=True)
                   if not line.endswith(f"--@mutant {mutant}\n"))


def install(connection, schema, mutant="none", prefix=""):
    """Drops the schema, and makes it anew."""
    quoted = '"' + schema.replace('"', '""') + '"'
    connection.run(f"drop schema if exists {quoted} cascade; create schema {quoted}")
    files = sorted((SQL / "migrations").glob("*.sql"))
    files += sorted(SQL.glob("bus/functions/*.sql")) + sorted(SQL.glob("queue/functions/*.sql"))
    for file in files:
        text = render(mutated(file.read_text(), mutant), schema, prefix)
        try:
            connection.run(text)
        except Failure as failure:
            raise SystemExit(f"{file}: {failure}") from failure
