# Every target installs what it needs and says clearly what it cannot install.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: help run gallery build web test fuzz mutants soak lint tidy fmt gen bench lighthouse screenshots deb image package supply-chain clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

web: web/dist/routes.json ## Build the site into web/dist

web/node_modules/.package-lock.json: web/package-lock.json web/package.json
	@tests/setup/node.sh
	npm ci --prefix web
	@touch $@

tests/node_modules/.package-lock.json tests/lighthouse/node_modules/.package-lock.json: %/node_modules/.package-lock.json: %/package-lock.json
	@tests/setup/node.sh
	npm ci --prefix $*
	@touch $@

web/dist/routes.json: web/node_modules/.package-lock.json $(shell find web/src web/public web/scripts web/vite web/index.html web/vite.config.ts web/tsconfig.json 2>/dev/null)
	npm run build --prefix web
	@touch $@

run: web ## Serve the whole product at http://127.0.0.1:8080, no account needed
	cargo run -p garimpo

gallery: web/node_modules/.package-lock.json ## Open the gallery of tokens and parts, with reload on change
	npm run gallery --prefix web

build: web ## Build target/dist/garimpo with the site inside, as it is shipped; minutes
	packaging/cargo.sh build --profile dist -p garimpo

test: ## Install what is missing and run every test, each step with its seconds
	tests/run.sh

fuzz: ## Run the property tests of every parser of outside input far longer; PROPTEST_CASES says how many cases of each
	PROPTEST_CASES=$${PROPTEST_CASES:-300000} tests/filtered.sh --workspace --lib -- --nocapture tests::any_

mutants: ## Change the domain's code in a thousand ways and expect its tests to fail each time (tests/mutants.txt); an hour
	tests/mutants.sh

soak: ## Run the long tests: every crash point, a thousand kills, long random runs (docs/soak.md)
	tests/soak.sh

lint: tidy ## Check formatting, lints, types and unused dependencies of Rust, TypeScript and protos
	cargo clippy --workspace --all-targets -- -D warnings

# Apart from clippy, because clippy compiles what `make test` runs (tests/run.sh).
tidy: web/node_modules/.package-lock.json tests/node_modules/.package-lock.json
	cargo fmt --all --check
	$$(tests/setup/machete.sh)
	npm run lint --prefix web
	npm run typecheck --prefix web
	npm run typecheck --prefix tests
	web/node_modules/.bin/buf lint

fmt: web/node_modules/.package-lock.json ## Format Rust, TypeScript and protos
	cargo fmt --all
	npm run fmt --prefix web
	web/node_modules/.bin/buf format -w

gen: web/node_modules/.package-lock.json ## Write web/src/gen (TypeScript of the protos, the computed catalogue) and docs/provider-assumptions.md
	npm run gen --prefix web
	cargo build -q --workspace --example export_catalog
	$${CARGO_TARGET_DIR:-target}/debug/examples/export_catalog > web/src/gen/catalog.json
	GARIMPO_WRITE_DOCS=1 tests/filtered.sh -q --workspace --lib -- the_page_of_provider_assumptions_is_up_to_date > /dev/null

bench: web ## Measure the binary of the dist profile, each figure beside its reference in the same run; writes README's table. GROUP=reconciliation measures a group alone
	bench/setup.sh
	packaging/cargo.sh build --profile dist -p garimpo -p garimpo-bench
	packaging/cargo.sh run --profile dist -q -p garimpo-bench -- $(GROUP)

lighthouse: build tests/lighthouse/node_modules/.package-lock.json ## Measure every marketing page with Lighthouse, five runs each; writes docs/lighthouse.md
	CHROMIUM=$$(tests/setup/chromium.sh --headless) npm start --prefix tests/lighthouse

screenshots: web tests/node_modules/.package-lock.json ## Draw every screen and the gallery into docs/screens, as a phone and as a desktop show it
	cargo build -p garimpo
	CHROMIUM=$$(tests/setup/chromium.sh) npm run screenshots --prefix tests
	CHROMIUM=$$(tests/setup/chromium.sh) npm run gallery-pictures --prefix tests

deb: web ## Build the Debian package target/debian/garimpo_*.deb; minutes
	packaging/deb.sh

image: web ## Build the container image localhost/garimpo of one static program; minutes
	packaging/image.sh

package: deb image tests/node_modules/.package-lock.json ## Build and test both: the package on a fresh Debian under systemd, from docs/operation.md to the first sale over https, which testssl rates; the image on a read-only root and as a fleet
	tests/package/debian.sh
	tests/package/install.sh
	tests/package/testssl.sh
	tests/package/image.sh
	tests/package/fleet.sh

supply-chain: deb image ## Check advisories, list licences and parts, and compare with a second build in another folder; half an hour
	tests/package/advisories.sh
	tests/package/parts.sh
	tests/package/reproducible.sh

clean: ## Remove what was built
	cargo clean
	rm -rf web/dist web/dist-ssr web/node_modules tests/node_modules tests/.cache
