import { expect, it } from 'vitest'
import { readCargoConfig } from './cargo-config.ts'
import { readNpmrc } from './npmrc.ts'
import { readPipConfig } from './pip-config.ts'
import type { RegistryToken } from './registry-token.ts'

const shown = (tokens: readonly RegistryToken[]) =>
  tokens.map(({ protocol, host, port, path, authorization }) => `${protocol}//${host}:${port}${path} ${authorization}`)
const base64 = (text: string) => Buffer.from(text).toString('base64')

it('reads the registries and logins of an .npmrc, with variables', () => {
  const text = `; mine
registry = "https://one.example/npm"
@own:registry=http://user:s3cret@two.example:4873/?key=s3cret#s3cret
//one.example/npm/:_authToken=\${TOKEN}
//two.example:4873/:_auth=${base64('a:s3cret')}
//three.example/:username=me
//three.example/:_password=${base64('s3cret')}
//[::1]:8/:_authToken=s3cret
//four.example/:_authToken=\${MISSING}
cafile=/home/me/ca.pem
ignore-scripts=true
email=me@example.com
key="-----BEGIN s3cret"
`
  const { cleaned, tokens, certificates } = readNpmrc(text, { TOKEN: 's3cret' })
  expect(cleaned).toBe(
    'registry=https://one.example/npm\n@own:registry=http://two.example:4873/\nignore-scripts=true\n',
  )
  expect(shown(tokens)).toEqual([
    'https://one.example:443/npm/ Bearer s3cret',
    `http://two.example:4873/ Basic ${base64('a:s3cret')}`,
    `https://three.example:443/ Basic ${base64('me:s3cret')}`,
    'https://::1:8/ Bearer s3cret',
    `http://two.example:4873/ Basic ${base64('user:s3cret')}`,
  ])
  expect(certificates).toEqual(['/home/me/ca.pem'])
})

it.each([
  ['a variable in the path of a registry', `registry=https://one.example/\${TOKEN}/\n`, ''],
  ['a login in the path of a registry', 'registry=https://one.example/s3cret/\n//one.example/:_authToken=s3cret\n', ''],
  ['a variable for the host of a registry', `registry=https://\${HOST}/npm/\n`, 'registry=https://one.example/npm/\n'],
  ['no registry', `registry=nonsense\n=\n[x]\nfund=\${TOKEN}\n`, ''],
])('shows nothing secret of an .npmrc with %s', (_what, text, cleaned) => {
  expect(readNpmrc(text, { TOKEN: 's3cret', HOST: 'one.example' }).cleaned).toBe(cleaned)
})

it('sends no login that would break the header', () => {
  expect(readNpmrc('//one.example/:_authToken=a\u00e9\n//two.example/:_authToken=a\tb\n', {}).tokens).toEqual([])
})

const besideTop = (host: string, login: string) =>
  ['packages', 'files', 'crates', 'dl', 'api/v1/crates'].map((name) => `https://${host}:443/${name}/ ${login}`)

// Mutation: a login for all of the server reads a person's account there, which has nothing to do with packages.
it('keeps a login of pip to the index and the packages beside it', () => {
  const { tokens } = readPipConfig(['[global]\nindex-url = https://me:pw@one.example/api/v4/projects/7/pypi/simple\n'])
  const places = [
    `https://one.example:443/api/v4/projects/7/pypi/simple/`,
    `https://one.example:443/api/v4/projects/7/pypi/`,
  ]
  expect(shown(tokens)).toEqual(places.map((place) => `${place} Basic ${base64('me:pw')}`))
})

it('reads the pip.conf files of a person as one', () => {
  const weak = '[global]\nindex-url = https://old.example/simple\ntimeout: 20\n'
  const strong = `[global]
index_url = https://me:p%40ss@one.example/simple
extra-index-url =
    https://two.example/simple
    # a remark
    https://tok@three.example/simple?key=s3cret
trusted-host = one.example
cert = /home/me/ca.pem
proxy = http://me:s3cret@proxy.example
[install]
no-index = true
`
  const { cleaned, tokens, certificates } = readPipConfig([weak, strong])
  expect(cleaned).toBe(`[global]
index-url = https://one.example/simple
timeout = 20
extra-index-url = https://two.example/simple
    https://three.example/simple
trusted-host = one.example
[install]
no-index = true
`)
  expect(shown(tokens)).toEqual([
    `https://one.example:443/simple/ Basic ${base64('me:p@ss')}`,
    ...besideTop('one.example', `Basic ${base64('me:p@ss')}`),
    `https://three.example:443/simple/ Basic ${base64('tok:')}`,
    ...besideTop('three.example', `Basic ${base64('tok:')}`),
  ])
  expect(certificates).toEqual(['/home/me/ca.pem'])
})

it('reads the registries of cargo and their logins from two files', () => {
  const config = `[registries.my-own] # mine
index = "sparse+https://one.example/index/"
[registries]
git = { index = "https://user:s3cret@two.example/git", other = 1 }
dotted.index = 'sparse+http://three.example:8000/'
[registry]
default = "my-own"
token = "s3cret-for-publishing"
[http]
cainfo = "/home/me/ca.pem"
[source.crates-io]
replace-with = "my-own"
`
  const credentials = '[registries.my-own]\ntoken = "s3cret"\n[registries."dotted"]\ntoken = "Bearer \\"x\\""\n'
  const { variables, tokens, certificates } = readCargoConfig([config, credentials])
  expect(variables).toEqual({
    CARGO_REGISTRY_DEFAULT: 'my-own',
    CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: 'cargo:token',
    CARGO_REGISTRIES_MY_OWN_INDEX: 'sparse+https://one.example/index/',
    CARGO_REGISTRIES_MY_OWN_TOKEN: 'given-outside-the-sandbox',
    CARGO_REGISTRIES_GIT_INDEX: 'https://two.example/git',
    CARGO_REGISTRIES_DOTTED_INDEX: 'sparse+http://three.example:8000/',
    CARGO_REGISTRIES_DOTTED_TOKEN: 'given-outside-the-sandbox',
  })
  expect(shown(tokens)).toEqual([
    'https://one.example:443/index/ s3cret',
    ...besideTop('one.example', 's3cret'),
    `https://two.example:443/git/ Basic ${base64('user:s3cret')}`,
    'http://three.example:8000/ Bearer "x"',
  ])
  expect(certificates).toEqual(['/home/me/ca.pem'])
})
