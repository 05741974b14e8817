import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, normalize } from 'node:path'

/**
 * Files and folders below a home that hold passwords, keys or tokens, or settings that may name them. No command may read
 * them, wherever a variable or PATH leads.
 */
export const credentialsInHome: readonly string[] = [
  ...['.ssh', '.gnupg', '.password-store', '.local/share/keyrings', '.netrc', '.vault-token', '.pgpass', '.my.cnf'],
  ...['.git-credentials', '.config/git/credentials', '.config/gh', '.config/hub', '.config/glab-cli'],
  ...['.aws', '.azure', '.config/gcloud', '.kube', '.docker/config.json', '.config/containers/auth.json'],
  ...['.config/helm/registry', '.terraform.d/credentials.tfrc.json', '.terraformrc'],
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.config/pnpm/rc', '.config/pnpm/auth.ini', '.bunfig.toml'],
  '.local/share/pnpm/.npmrc',
  ...['.pypirc', '.pip/pip.conf', '.config/pip/pip.conf', '.config/uv', '.local/share/uv/credentials'],
  ...['.config/pypoetry/auth.toml', '.config/hatch', '.condarc'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.cargo/config', '.cargo/config.toml'],
  ...['.m2/settings.xml', '.m2/settings-security.xml', '.gradle/gradle.properties', '.gradle/init.gradle'],
  ...['.gradle/init.d', '.sbt/.credentials', '.ivy2/.credentials'],
  ...['.composer/auth.json', '.config/composer/auth.json', '.bundle/config'],
  ...['.gem/credentials', '.local/share/gem/credentials', '.config/NuGet', '.nuget/NuGet/NuGet.Config'],
  ...['.dotnet/corefx', '.hex/hex.config', '.config/go/env', '.config/mise', '.config/configstore'],
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.mozilla', '.config/google-chrome'],
]

/** Where the user's own variables put such files instead. The second word is a path below the variable's folder. */
const byVariable: readonly (readonly [string, string])[] = [
  ...(['credentials', 'credentials.toml', 'config', 'config.toml'] as const).map(
    (name) => ['CARGO_HOME', name] as const,
  ),
  ...(['gradle.properties', 'init.gradle', 'init.d'] as const).map((name) => ['GRADLE_USER_HOME', name] as const),
  ...[
    ['DOTNET_ROOT', 'corefx'] as const,
    ['COMPOSER_HOME', 'auth.json'] as const,
    ['DOCKER_CONFIG', 'config.json'] as const,
  ],
  ...[['BUNDLE_USER_CONFIG', ''] as const, ['NPM_CONFIG_USERCONFIG', ''] as const, ['PIP_CONFIG_FILE', ''] as const],
  ...[['npm_config_userconfig', ''] as const, ['NETRC', ''] as const, ['UV_CREDENTIALS_DIR', ''] as const],
  ...[['AWS_SHARED_CREDENTIALS_FILE', ''] as const, ['AWS_CONFIG_FILE', ''] as const, ['KUBECONFIG', ''] as const],
  ...[['GNUPGHOME', ''] as const, ['CLOUDSDK_CONFIG', ''] as const, ['AZURE_CONFIG_DIR', ''] as const],
  ...[['GOOGLE_APPLICATION_CREDENTIALS', ''] as const, ['PGPASSFILE', ''] as const],
]

/** Absolute paths, whether something is there or not. */
export function credentialPlaces(home: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const named = byVariable.flatMap(([variable, below]) =>
    (environment[variable] ?? '').split(delimiter).flatMap((place) => (isAbsolute(place) ? [join(place, below)] : [])),
  )
  const usual = [home, realOf(home)].flatMap((one) => credentialsInHome.map((name) => join(one, name)))
  return [...new Set([...usual, ...named].map((place) => normalize(place)))]
}

/** Where a path really leads; the path itself when nothing is there. */
export function realOf(place: string): string {
  try {
    return realpathSync.native(place)
  } catch {
    return place
  }
}
