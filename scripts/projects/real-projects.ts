import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../e2e/support/coppice.ts'
import { commitAll, left, type Sample, shell } from './sample.ts'

/** Where the apt of this machine has its source packages from. */
function debianPool(): string {
  const targets = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)'], { encoding: 'utf8' })
  const archive = targets.split('\n').find((address) => address.endsWith('/debian/')) ?? ''
  return `${archive}pool/main`
}

/** Fills a folder with a source package of Debian as one commit. `built` is what its tests build. */
function fromDebian(path: string, built: readonly string[] = []) {
  return (folder: string): void => {
    const archive = join(folder, '..', 'source.tar')
    execFileSync('curl', ['--silent', '--fail', '--location', '--output', archive, `${debianPool()}/${path}`])
    shell(folder, `tar --extract --no-same-owner --strip-components=1 --file '${archive}'`)
    commitAll(folder, built)
  }
}

/** Fills a folder with a library of Rust as one commit, whose sources are what its package of Debian holds. */
function fromCrate(path: string, built: readonly string[]) {
  return (folder: string): void => {
    const [archive, unpacked] = ['crate.deb', 'crate'].map((name) => join(folder, '..', name))
    shell(folder, `curl --silent --fail --location --output '${archive}' '${debianPool()}/${path}'`)
    shell(folder, `dpkg-deb --extract '${archive}' '${unpacked}' && cp -r '${unpacked}'/usr/share/cargo/registry/*/. .`)
    shell(folder, 'rm -rf debian .cargo-checksum.json')
    commitAll(folder, built)
  }
}

/** Projects of others, whose sources come from Debian and from package managers. */
export const realProjects: readonly Sample[] = [
  {
    name: 'commander.js',
    needs: ['npm', 'apt-get', 'curl'],
    write: fromDebian('n/node-commander/node-commander_9.4.1.orig.tar.gz'),
    setup: 'npm ci --no-audit --no-fund',
    hosts: ['preset:npm'],
    test: "npx jest --coverage=false 2>&1 | sed -n 's/^Tests: */tests: /p'",
    edited: 'lib/option.js',
  },
  {
    name: 'jq',
    needs: ['cc', 'apt-get', 'curl'],
    write: fromDebian('j/jq/jq_1.6.orig.tar.gz', ['/jq', '/src/builtin.inc', '/src/version.h']),
    test: `sed -e 's/\\\\/\\\\\\\\/g' -e 's/"/\\\\"/g' -e 's/^/"/' -e 's/$/\\\\n"/' src/builtin.jq > src/builtin.inc
echo '#define JQ_VERSION "1.6"' > src/version.h
have=$(grep -oh 'HAVE_[A-Z0-9_]*' src/libm.h | grep -v POW10 | sort -u | sed s/^/-D/)
cc -w -O1 -D_GNU_SOURCE -DIEEE_8087 -DHAVE_MEMMEM -DHAVE_GMTIME_R -DHAVE_GMTIME -DHAVE_STRPTIME -DHAVE_STRFTIME \\
  -DHAVE_TIMEGM -DHAVE_ISATTY $have -I. -Isrc -o jq $(ls src/*.c | grep -v inject_errors) -lm -lpthread 2>&1
./jq -L tests/modules --run-tests tests/jq.test 2>/dev/null | sed -n 's/^[0-9].* tests passed/tests: &/p'`,
    edited: 'src/builtin.jq',
  },
  {
    name: 'redis',
    needs: ['cc', 'make', 'tclsh', 'apt-get', 'curl'],
    write: fromDebian('r/redis/redis_7.0.15.orig.tar.gz'),
    setup: 'out=$(make -j2 MALLOC=libc OPTIMIZATION=-O0 DEBUG= 2>&1) || { tail -50 <<< "$out"; exit 1; }',
    test: `out=$(./runtest --single unit/auth --single unit/type/hash --single unit/type/list-2 --clients 2 2>&1)
echo "tests: $(grep -c 'ok.*]:' <<< "$out") ok, $(grep -c 'err.*]:' <<< "$out") failed"`,
    edited: 'src/server.c',
    service: {
      start: `cd ${left} && exec ../src/redis-server --port 6400`,
      use: "src/redis-cli -p 6400 set smoke 'kept by redis'",
      look: `grep -q 'kept by redis' ${left}/dump.rdb`,
    },
  },
  {
    name: 'fast-uri',
    needs: ['npm'],
    write: (folder) => {
      shell(folder, `cp -r '${join(root, 'node_modules/fast-uri')}/.' .`)
      commitAll(folder, ['/node_modules/'])
    },
    setup: 'npm install --no-save --no-package-lock --no-audit --no-fund --ignore-scripts tape@5 ajv@8 uri-js@4',
    hosts: ['preset:npm'],
    test: `echo "tests: $(node_modules/.bin/tape test/*.test.js | sed -n 's/^# \\(pass\\|fail\\) */\\1 /p' | xargs)"`,
    edited: 'lib/utils.js',
  },
  {
    name: 'postgres',
    needs: ['postgres', 'initdb', 'psql', 'pg_ctl'],
    write: (folder) => {
      writeFileSync(join(folder, 'schema.sql'), 'create table smoke (text text);\n')
      commitAll(folder)
    },
    test: 'echo "tests: $(postgres --version)"',
    edited: 'schema.sql',
    service: {
      start: `initdb -D ${left}/data > /tmp/initdb.log && exec postgres -D ${left}/data -k /tmp`,
      use: `until pg_isready -q -h /tmp; do sleep 0.1; done
psql -q -h /tmp -d postgres -f schema.sql -c "insert into smoke values ('kept by postgres')"`,
      look: `pg_ctl -D ${left}/data -o '-k /tmp' -w -l /tmp/log start > /tmp/start &&
psql -h /tmp -d postgres -c 'select * from smoke' | grep -q 'kept by postgres' && pg_ctl -D ${left}/data -w stop > /tmp/stop`,
    },
  },
  {
    name: 'gorilla/mux',
    needs: ['go', 'apt-get', 'curl'],
    write: fromDebian('g/golang-github-gorilla-mux/golang-github-gorilla-mux_1.8.0.orig.tar.gz'),
    test: `echo "tests: $(go test -count=1 -v ./... | grep -c '^--- PASS')"`,
    edited: 'route.go',
  },
  {
    name: 'autocfg',
    needs: ['cargo', 'apt-get', 'curl', 'dpkg-deb'],
    write: fromCrate('r/rust-autocfg/librust-autocfg-dev_1.1.0-1_amd64.deb', ['/target/', '/Cargo.lock']),
    test: `echo "tests: $(cargo test --quiet --offline 2>&1 | sed -n 's/^test result: ok. \\([0-9]* passed\\).*/\\1/p' | xargs)"`,
    edited: 'src/lib.rs',
  },
  {
    name: 'click',
    needs: ['python3', 'apt-get', 'curl'],
    write: fromDebian('p/python-click/python-click_8.1.3.orig.tar.gz', [
      ...['/.venv/', '__pycache__/', '/src/click.egg-info/', '/.pytest_cache/'],
    ]),
    setup:
      'python3 -m venv .venv && .venv/bin/pip install --quiet "pytest<8" setuptools wheel && .venv/bin/pip install --quiet --no-build-isolation -e .',
    hosts: ['preset:pypi'],
    test: ".venv/bin/python -m pytest -q 2>&1 | sed -n 's/ in [0-9.]*s.*//; s/^[0-9].*passed/tests: &/p'",
    edited: 'src/click/core.py',
  },
]
