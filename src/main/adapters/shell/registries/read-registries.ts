import { isAbsolute, join } from 'node:path'
import { textIfReadable } from '../../system/read-bounded.ts'
import { readCargoConfig } from './cargo-config.ts'
import { readNpmrc } from './npmrc.ts'
import { readPipConfig } from './pip-config.ts'
import type { RegistryToken } from './registry-token.ts'

/** The person's registries as commands may know them, and the logins that they may not. */
export interface Registries {
  /** Texts of settings by the names of their files. No login is in them. */
  readonly settings: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  readonly tokens: readonly RegistryToken[]
  /** Files with certificates that the person's tools trust. */
  readonly certificates: readonly string[]
}

export interface RegistriesInput {
  readonly home: string
  /** The person's variables. */
  readonly environment: NodeJS.ProcessEnv
}

/** The variables that lead a command to each file of settings. */
export const registryVariables: Readonly<Record<string, readonly string[]>> = {
  npmrc: ['NPM_CONFIG_USERCONFIG'],
  'pip.conf': ['PIP_CONFIG_FILE'],
  'certificates.pem': [
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
    ...['REQUESTS_CA_BUNDLE', 'PIP_CERT', 'CARGO_HTTP_CAINFO'],
  ],
}

/** The name of the file with certificates among the files that a command is given. */
export const certificatesName = 'certificates.pem'

/** Reads the settings of npm, pip and cargo as they are now. What is missing or unreadable counts as empty. */
export function readRegistries({ home, environment }: RegistriesInput): Registries {
  const named = (variable: string) => {
    const place = environment[variable] ?? ''
    return isAbsolute(place) ? place : undefined
  }
  const npmrc = named('npm_config_userconfig') ?? named('NPM_CONFIG_USERCONFIG') ?? join(home, '.npmrc')
  const settings = named('XDG_CONFIG_HOME') ?? join(home, '.config')
  const pipFiles = [join(home, '.pip/pip.conf'), join(settings, 'pip/pip.conf'), named('PIP_CONFIG_FILE') ?? '']
  const cargoHome = named('CARGO_HOME') ?? join(home, '.cargo')
  const cargoFiles = ['config', 'config.toml', 'credentials', 'credentials.toml'].map((name) => join(cargoHome, name))
  const npm = readNpmrc(textIn(npmrc), environment)
  const pip = readPipConfig(pipFiles.map(textIn))
  const cargo = readCargoConfig(cargoFiles.map(textIn))
  return {
    settings: {
      ...(npm.cleaned !== '' && { npmrc: npm.cleaned }),
      ...(pip.cleaned !== '' && { 'pip.conf': pip.cleaned }),
    },
    variables: cargo.variables,
    tokens: [npm, pip, cargo].flatMap(({ tokens }) => tokens),
    certificates: [npm, pip, cargo].flatMap(({ certificates }) => certificates).filter(isAbsolute),
  }
}

const longestFile = 1024 * 1024

function textIn(file: string): string {
  return textIfReadable(file, { most: longestFile }) ?? ''
}
