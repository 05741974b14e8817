import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Names of files that hold keys, passwords or tokens, by what makes them: environments, package registries, clouds,
 * databases, version control, certificates, password safes. Collected from the documentation of these programs.
 */
const secretNames: readonly RegExp[] = [
  // Environments
  /^\.env(\..*)?$/,
  /^\.envrc$/,
  /\.env$/,
  /^\.dev\.vars(\..*)?$/,
  /^\.?secrets?(\.(json|ya?ml|toml|ini|env|properties))?$/,
  // Package registries and build tools
  /^\.?(npmrc|yarnrc)$/,
  /^\.yarnrc\.yml$/,
  /^\.(pypirc|condarc|rclone\.conf|mc-config\.json)$/,
  /^(auth\.json|\.dockercfg|\.dockerconfigjson)$/,
  // Clouds and infrastructure
  /^credentials(\.(json|csv|ini|ya?ml|toml|xml|properties))?$/,
  /^client_secrets?[^/]*\.json$/,
  /^(.*[-_.])?service[-_]?account[^/]*\.json$/,
  /^.*-firebase-adminsdk-.*\.json$/,
  /^application_default_credentials\.json$/,
  /\.tfstate(\.backup|\.\d+\.backup)?$/,
  /\.tfvars(\.json)?$/,
  /^(\.terraformrc|terraform\.rc)$/,
  /^(\.?kube-?config|.*\.kubeconfig)(\.ya?ml)?$/,
  /^\.(s3cfg|boto|databrickscfg|doctl|passwd-s3fs|vault-token)$/,
  /^vault[-_]?(token|pass|password)(\.txt)?$/,
  // Databases
  /^\.?pgpass(\.conf)?$/,
  /^\.(my|mylogin)\.cnf$/,
  // Version control, web servers, networks
  /^\.git-credentials$/,
  /^[._]?netrc$/,
  /^\.?htpasswd$/,
  /^\.?(sftp|ftp)-?config(\.json)?$/,
  // Keys, certificates with keys, password safes
  /\.(pem|key|p8|p12|pfx|ppk|jks|jceks|keystore|bks|gpg|pgp|kdbx?|agekey|keytab|ovpn)$/,
  /^(.*[-_.])?id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([-_.](?!pub$).*)?$/,
  /^(secring|trustdb)\.gpg$/,
  /^.*_history$/,
]

/** The same for files whose name alone says nothing: the end of the path in lower case. */
const secretPaths: readonly RegExp[] = [
  /\/\.docker\/config\.json$/,
  /\/\.kube\/(config|cache\/.*)$/,
  /\/\.aws\/(credentials|config|sso\/cache\/.*|cli\/cache\/.*)$/,
  /\/\.azure\/(accesstokens|azureprofile|msal_token_cache)[^/]*$/,
  /\/(\.config\/)?gcloud\/.*\.(db|json)$/,
  /\/(\.config\/)?gh\/hosts\.yml$/,
  /\/\.config\/(rclone\/rclone\.conf|hub|git\/credentials)$/,
  /\/\.ssh\/(?!known_hosts|authorized_keys|config$)(?!.*\.pub$)[^/]+$/,
  /\/\.gnupg\/(?!.*\.conf$).+$/,
  /\/\.password-store\/.+$/,
  /\/\.cargo\/credentials(\.toml)?$/,
  /\/\.(bundle\/config|gem\/credentials|composer\/auth\.json|m2\/settings(-security)?\.xml)$/,
  /\/\.vscode\/sftp\.json$/,
  /\/\.terraform\.d\/credentials\.tfrc\.json$/,
]

/** Templates contain names of secrets, not secrets. */
const templates = /[.-](example|sample|template|tmpl|dist)(\.[a-z]+)?$|^(example|sample|template)\./

/** Programs are shown thousands of files, most of which share their names with others. */
const knownNames = new Map<string, boolean>()
const mostKnownNames = 20_000

/** True when the name of a file says that it may hold keys, passwords or tokens. */
export function isSecretFile(path: VirtualPath): boolean {
  return isSecretName(nameOf(path)) || (path.includes('/.') && isSecretPlace(path))
}

function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  const isSecret = !templates.test(lower) && secretNames.some((pattern) => pattern.test(lower))
  if (knownNames.size >= mostKnownNames) knownNames.clear()
  knownNames.set(name, isSecret)
  return isSecret
}

function isSecretPlace(path: VirtualPath): boolean {
  const lower = path.toLowerCase()
  if (templates.test(nameOf(path).toLowerCase())) return false
  return secretPaths.some((pattern) => pattern.test(lower))
}

const latin1 = new TextDecoder('latin1')

/** Bytes of a file that are looked at. */
export const secretContentBytes = 256 * 1024

/** A line with which a private key begins, in the forms of OpenSSL, OpenSSH, GnuPG and PuTTY. */
const keyLine = /^(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d+:|AGE-SECRET-KEY-1)/m

/** The key of a service account, which is one JSON string. */
const keyInJson = /"private_key"\s*:\s*"-----BEGIN/

/** Tokens that cannot be mistaken for anything else, because their issuers gave them a prefix. */
const tokens =
  /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,}|sk-ant-[A-Za-z0-9_-]{40,}|sk-proj-[A-Za-z0-9_-]{40,}|sk_live_[A-Za-z0-9]{24,}|xox[abprs]-[A-Za-z0-9-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hv[bs]\.[A-Za-z0-9_-]{24,}|dop_v1_[a-f0-9]{64}|SG\.[\w-]{22}\.[\w-]{43})\b/

/** Files of settings. In source code, a token is more often an example or a test. */
const settingsFile =
  /(^|\/)[^/.]+$|(^|\/)\.[^/]*$|\.(json|jsonc|ya?ml|toml|ini|cfg|conf|config|properties|xml|txt|rc)$/i

/**
 * True when the content of a file says that it holds a key or a token, whatever its name. Only the first
 * `secretContentBytes` bytes count.
 */
export function holdsSecret(path: VirtualPath, bytes: Uint8Array): boolean {
  const text = latin1.decode(bytes.subarray(0, secretContentBytes))
  if (keyLine.test(text) || keyInJson.test(text)) return true
  return settingsFile.test(path) && tokens.test(text)
}

/** What `holdsSecret` looks for, as one regular expression that ripgrep understands too. */
export const secretContentPattern = [
  '^-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY',
  '^PuTTY-User-Key-File-',
  '^AGE-SECRET-KEY-1',
  '"private_key"\\s*:\\s*"-----BEGIN',
  tokens.source.replaceAll('(?:', '('),
].join('|')

/** Settings of programs that fail without them. They often hold no secret at all. */
const neededSettings = /(^|\/)(\.?npmrc|\.yarnrc(\.yml)?|\.condarc|\.bundle\/config|\.terraformrc)$/i

const credential = /auth|token|passw|secret|credential|login|private|-----BEGIN|api[_-]?key|:\/\/[^\s/@]+:[^\s/@]+@/i

/** True for settings that are secret only by their name: nothing in them is a key, a password or a token. */
export function isHarmless(path: VirtualPath, bytes: Uint8Array): boolean {
  if (!neededSettings.test(path) || bytes.length > secretContentBytes) return false
  return !credential.test(latin1.decode(bytes))
}

/** True for the settings of a repository, of its submodules and worktrees, and of repositories inside it. */
export function isGitConfig(path: VirtualPath): boolean {
  return /\/\.git\/((modules|worktrees)\/.+\/)?config(\.worktree)?$/i.test(path)
}

/**
 * The text of a repository's settings without credentials: those in addresses, and in headers and settings that carry
 * them. The rest stays as it is.
 */
export function withoutCredentials(text: string): string {
  return text
    .replace(/(https?:\/\/)[^\s/@"']+@/gi, '$1[redacted]@')
    .replace(/(:\/\/[^\s/:@"']+:)[^\s/@"']+@/g, '$1[redacted]@')
    .replace(/^(\s*extraheader\s*=\s*"?[\w-]+\s*:).*$/gim, '$1 [redacted]')
    .replace(/^(\s*(?:\w*(?:password|passwd|token|secret)\w*|pass|cookie)\s*=).*$/gim, '$1 [redacted]')
}
