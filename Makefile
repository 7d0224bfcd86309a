# Short names for the commands of this project. Each line calls CMake or a script; nothing else
# lives here. `make demo` is the place to begin.

.PHONY: help deps build demo test check soak bench bench-quick bench-full lint format

help:
	@echo 'make demo    build the program and watch it survive kill -9 (a few minutes with the build)'
	@echo 'make build   release build: build/penstock'
	@echo 'make test    dev and sanitizer builds, every test'
	@echo 'make check   threads, thread-safety analysis, clang-tidy, mutants (long)'
	@echo 'make soak    the tests at full size'
	@echo 'make bench   throughput beside a bare loop'
	@echo 'make bench-quick   the targets beside what is measured, in ten minutes; bench-full: everything'
	@echo 'make lint    format, layers, documents, sizes'
	@echo 'make format  clang-format over everything'
	@echo 'make deps    install what building and testing needs (Debian 12)'

deps:
	@scripts/deps.sh test

build:
	@scripts/deps.sh demo
	@scripts/build.sh release penstock

demo: build
	build/penstock demo

test:
	@scripts/deps.sh test
	@scripts/test.sh dev asan

check:
	@scripts/deps.sh check
	@scripts/check.sh

soak:
	@scripts/deps.sh test
	@PENSTOCK_SOAK=1 scripts/test.sh soak

bench:
	@scripts/deps.sh bench
	@scripts/build.sh bench penstock-bench
	build-bench/penstock-bench throughput
	scripts/bench_postgres.sh cost

bench-quick bench-full:
	@scripts/deps.sh bench
	@scripts/build.sh bench penstock-bench
	@scripts/bench_postgres.sh $(patsubst bench-%,%,$@)

lint:
	@scripts/deps.sh check
	@scripts/lint.sh

format:
	@scripts/deps.sh check
	@scripts/check_format.sh --fix
