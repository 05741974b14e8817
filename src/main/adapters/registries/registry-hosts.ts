import { join } from 'node:path'
import { type RegistryName, registryIn } from '#shared/base/reach/registry-presets.ts'
import { textIfReadable } from '../system/read-bounded.ts'

/** Where the person's own configuration of package managers lies. */
export interface RegistryPlaces {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Replaces presets of registries by hosts. Everything else stays as it is. Each host comes once. */
export function resolveHosts(hosts: readonly string[], places: RegistryPlaces): readonly string[] {
  return [
    ...new Set(
      hosts.flatMap((one) => {
        const registry = registryIn(one)
        return registry === undefined ? [one] : hostsOf(registry, places)
      }),
    ),
  ]
}

/**
 * The hosts of a registry by the person's own configuration, or else the public ones. The configuration of a project does
 * not count, because a project grants nothing.
 */
function hostsOf(registry: RegistryName, places: RegistryPlaces): readonly string[] {
  const found = (configured[registry]?.(places) ?? []).flatMap(hostIn)
  return found.length > 0 ? [...new Set(found)] : publicHosts[registry]
}

const publicHosts: Readonly<Record<RegistryName, readonly string[]>> = {
  npm: ['registry.npmjs.org', 'registry.yarnpkg.com'],
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  cargo: ['index.crates.io', 'static.crates.io', 'crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  maven: ['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'services.gradle.org'],
  rubygems: ['rubygems.org', 'index.rubygems.org'],
  packagist: ['repo.packagist.org', 'packagist.org', 'api.github.com', 'codeload.github.com'],
}

/** Addresses of the registries that a person configured. Empty when there are none. */
const configured: Partial<Record<RegistryName, (places: RegistryPlaces) => readonly string[]>> = {
  npm: npmAddresses,
  pypi: pipAddresses,
  cargo: cargoAddresses,
  go: ({ environment }) => (environment.GOPROXY ?? '').split(/[,|]/),
}

/** The registry and those of scopes. A scope alone leaves the public registry in use. */
function npmAddresses({ home, environment }: RegistryPlaces): readonly string[] {
  const file = environment.NPM_CONFIG_USERCONFIG ?? environment.npm_config_userconfig ?? join(home, '.npmrc')
  const lines = textOf(file).split('\n')
  const linesWith = (name: RegExp) => lines.flatMap((line) => name.exec(line.trim())?.[1]?.trim() ?? [])
  const main = [
    environment.npm_config_registry ?? environment.NPM_CONFIG_REGISTRY ?? '',
    ...linesWith(/^registry\s*=(.*)$/),
  ]
  const named = main.filter((one) => one !== '')
  const scopes = linesWith(/^@[^:=]+:registry\s*=(.*)$/)
  if (named.length === 0 && scopes.length === 0) return []
  return [...(named.length > 0 ? named : publicHosts.npm.map((host) => `https://${host}`)), ...scopes]
}

/** The index and further ones. Without an index of its own, the public one stays in use. */
function pipAddresses({ home, environment }: RegistryPlaces): readonly string[] {
  const files = [
    environment.PIP_CONFIG_FILE ?? '',
    join(environment.XDG_CONFIG_HOME ?? join(home, '.config'), 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    join(home, 'Library', 'Application Support', 'pip', 'pip.conf'),
  ]
  const text = files.map(textOf).join('\n')
  const linesOf = (name: string) => [...text.matchAll(new RegExp(`^\\s*${name}\\s*[=:]\\s*(.+)$`, 'gm'))]
  const words = (found: readonly RegExpMatchArray[]) => found.flatMap(([, value = '']) => value.trim().split(/\s+/))
  const index = [environment.PIP_INDEX_URL ?? '', environment.UV_INDEX_URL ?? '', ...words(linesOf('index-url'))]
  const extra = [...(environment.PIP_EXTRA_INDEX_URL ?? '').split(/\s+/), ...words(linesOf('extra-index-url'))]
  const [named, further] = [index.filter(Boolean), extra.filter(Boolean)]
  if (named.length === 0 && further.length === 0) return []
  return [...(named.length > 0 ? named : publicHosts.pypi.map((host) => `https://${host}`)), ...further]
}

/** Every address in `[registries]` and `[source]`. Without a replaced source, the public one stays in use. */
function cargoAddresses({ home, environment }: RegistryPlaces): readonly string[] {
  const folder = environment.CARGO_HOME ?? join(home, '.cargo')
  const text = textOf(join(folder, 'config.toml')) || textOf(join(folder, 'config'))
  const found = [...text.matchAll(/^\s*(?:index|registry)\s*=\s*["'](?:sparse\+)?([^"']+)["']/gm)]
  const addresses = found.flatMap(([, address]) => address ?? [])
  if (addresses.length === 0) return []
  const isReplaced = /^\s*replace-with\s*=/m.test(text)
  return [...(isReplaced ? [] : publicHosts.cargo.map((host) => `https://${host}`)), ...addresses]
}

/** The host of an address, with its port if that is named. Empty for anything but an address on the network. */
function hostIn(address: string): readonly string[] {
  try {
    const { protocol, hostname, port } = new URL(address.trim().replace(/^["']|["']$/g, ''))
    if (!/^https?:$/.test(protocol) || hostname.startsWith('[')) return []
    return [port === '' ? hostname : `${hostname}:${port}`]
  } catch {
    return []
  }
}

/** Empty for a file that is not there or cannot be read. */
function textOf(file: string): string {
  return file === '' ? '' : (textIfReadable(file) ?? '')
}
