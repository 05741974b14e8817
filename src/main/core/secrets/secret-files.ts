import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'

/** Files of variables for programs. */
const environmentNames: readonly RegExp[] = [
  /^\.env(rc)?([-_.].*)?$/,
  /\.env$/,
  /^env[-_.](prod|production|stag(e|ing)|dev|development|local|live|test)$/,
  /^\.dev\.vars([-_.].*)?$/,
]

/** Files of programs that write nothing but credentials, and of what a person typed. */
const credentialNames: readonly RegExp[] = [
  /^(\.dockercfg|\.dockerconfigjson|wp-config\.php|\.git-credentials|[._]?netrc|\.?pgpass(\.conf)?)$/,
  /^\.(pypirc|s3cfg|boto|databrickscfg|passwd-s3fs|vault-token|mylogin\.cnf|my\.cnf)$/,
  /^\.?(htpasswd|rclone\.conf)$/,
  /^\.?vault[-_.]?(token|pass|password)([-_.]?file)?(\.txt)?$/,
  /^(.*[-_.])?id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([-_.](?!pub$).*)?$/,
  /^secring\.gpg$/,
  /^\..*_history$/,
]

/**
 * Names of files that hold keys, passwords or tokens, by what makes them: environments, package registries, clouds,
 * databases, version control, certificates, password safes. Collected from the documentation of these programs.
 */
const secretNames: readonly RegExp[] = [
  ...environmentNames,
  /^local\.settings\.json$/,
  /^\.?secrets?(\.(json|ya?ml|toml|ini|env|properties))?$/,
  // Package registries and build tools
  /^\.?(npmrc|yarnrc)$/,
  /^\.yarnrc\.yml$/,
  /^\.(pypirc|condarc|mc-config\.json)$/,
  /^\.?rclone\.conf$/,
  /^(auth\.json|\.dockercfg|\.dockerconfigjson)$/,
  /^(pip\.conf|gradle\.properties|appsettings\.json|wp-config\.php|\.mcp\.json)$/,
  /^(\.sentryclirc|\.clasprc\.json|kaggle\.json)$/,
  // Clouds and infrastructure
  /^\.?credentials(\.(json|csv|ini|ya?ml|toml|xml|properties))?$/,
  /^client_secrets?[^/]*\.json$/,
  /^(.*[-_.])?service[-_]?account[^/]*\.json$/,
  /^(.*-)?firebase-adminsdk(-.*)?\.json$/,
  /^application_default_credentials\.json$/,
  /\.tfstate(\.backup|\.\d+\.backup)?$/,
  /\.tfvars(\.json)?$/,
  /^(\.terraformrc|terraform\.rc)$/,
  /^(.*[-_.])?kube[-_]?config([-_][^.]+)?(\.(ya?ml|json|conf|txt))?$/,
  /^\.(s3cfg|boto|databrickscfg|doctl|passwd-s3fs|vault-token)$/,
  /^\.?vault[-_.]?(token|pass|password)([-_.]?file)?(\.txt)?$/,
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

/** The same for files whose name alone says nothing: a folder above them, and the rest of the path in lower case. */
const secretPlaces: ReadonlyMap<string, RegExp> = new Map([
  ['.docker', /^config\.json$/],
  ['.kube', /^(config|cache\/.*)$/],
  ['.aws', /^((credentials|config)([-_.][^/]*)?|sso\/cache\/.*|cli\/cache\/.*)$/],
  ['.azure', /^(accesstokens|azureprofile|msal_token_cache)[^/]*$/],
  ['gcloud', /\.(db|json)$/],
  ['gh', /^hosts\.yml$/],
  ['.config', /^(rclone\/rclone\.conf|hub|git\/credentials)$/],
  ['.ssh', /^(?!known_hosts|authorized_keys|config$)(?!.*\.pub$)[^/]+$/],
  ['.gnupg', /^(?!.*\.conf$).+$/],
  ['.password-store', /./],
  ['.cargo', /^credentials(\.toml)?$/],
  ['.bundle', /^config$/],
  ['.gem', /^credentials$/],
  ['.composer', /^auth\.json$/],
  ['.m2', /^settings(-security)?\.xml$/],
  ['.hg', /^hgrc$/],
  ['.svn', /^auth\/.+$/],
  ['.bzr', /^branch\/branch\.conf$/],
  ['.jj', /^repo\/config\.toml$/],
  ['.snowsql', /^config$/],
  ['.circleci', /^cli\.yml$/],
  ['.kaggle', /./],
  ['.vscode', /^sftp\.json$/],
  ['.terraform.d', /^credentials\.tfrc\.json$/],
])

/** Templates contain names of secrets, not secrets. */
const templates =
  /[.-](example|sample|template|tmpl|dist)(\.(?!(local|prod|production|staging|stage|dev|development|live|private)$)[a-z]+)?$|_(example|sample|template|tmpl|dist)$|^(example|sample|template)\./

/** What editors, file managers and careful people add to the name of a copy. */
const copyEnding =
  /(~\d*~?|[-_.](bak|backup|old|orig|original|save|saved|copy|prev|tmp)\d*|\.(sw[a-z]|\d+)| - copy| copy( \d+)?| \(\d+\))$/
const copyNumber = / \(\d+\)(?=\.[a-z]+$)/

/** What tells the file of one system from that of another: `secrets.prod.yaml`, `kubeconfig-prod`. */
const stageWithin = /[-_.](prod|production|stag(e|ing)|dev|development|live|local|private)(?=(\.[a-z]+)?$)/
const stageBefore = /^(prod|production|stag(e|ing)|dev|development|live|local|private)[-_.]/

/** Programs are shown thousands of files, most of which share their names with others. */
const knownNames = new Map<string, boolean>()
const mostKnownNames = 20_000

/** True when the name of a file says that it may hold keys, passwords or tokens. Its content decides: `isSecret`. */
export function isSecretFile(path: VirtualPath): boolean {
  return isSecretName(nameOf(path)) || (path.includes('/.') && isSecretPlace(path)) || isInSecretFolder(path)
}

const secretFolder = /\/\.?(?:secrets?|credentials?)\//i
/** Source code in such a folder is about secrets. */
const dataNames = /^[^.]+$|\.(json|ya?ml|toml|ini|conf|cfg|properties|txt|csv|xml)$/

/** True for a file of data below a folder whose name says what is kept in it. */
export function isInSecretFolder(path: VirtualPath): boolean {
  return secretFolder.test(path) && matches(nameOf(path), [dataNames])
}

/** Settings that usually hold no secret at all, in places where everything else does. */
const plainSettings = /(^|\/)(\.bundle\/config|hgrc|branch\.conf|\.jj\/repo\/config\.toml)$/

/** True for names of files that hold a secret whenever they hold anything, such as `.netrc` and all of `.ssh`. */
export function isCredentialFile(path: VirtualPath): boolean {
  if (matches(nameOf(path), credentialNames)) return true
  return path.includes('/.') && isSecretPlace(path) && !plainSettings.test(path.toLowerCase())
}

/** True for files of variables, which hold a secret when one of them has a value. */
export function isEnvironmentFile(path: VirtualPath): boolean {
  return matches(nameOf(path), environmentNames)
}

function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const isSecret = matches(name, secretNames)
  if (knownNames.size >= mostKnownNames) knownNames.clear()
  knownNames.set(name, isSecret)
  return isSecret
}

function isSecretPlace(path: VirtualPath): boolean {
  const folders = path.toLowerCase().split('/')
  folders.pop()
  // Most folders are none of those, so most files cost one look at each folder above them.
  return folders.some((folder, at) => {
    const pattern = secretPlaces.get(folder)
    if (pattern === undefined) return false
    const below = folders.slice(at + 1).map((each) => `${each}/`)
    return matches(nameOf(path), [pattern], below.join(''))
  })
}

/** True when a pattern matches the name, or what it is without its stage, behind the folder. A copy is what it copies. */
function matches(name: string, patterns: readonly RegExp[], folder = ''): boolean {
  const original = originalName(name.toLowerCase())
  if (templates.test(original)) return false
  const names = new Set([original, original.replace(stageWithin, ''), original.replace(stageBefore, '')])
  return [...names].some((each) => patterns.some((pattern) => pattern.test(folder + each)))
}

function originalName(name: string): string {
  // Vim puts a dot before the name of its copy, Emacs a number sign on both sides.
  const bare = /^\..*\.sw[a-z]$/.test(name) && !name.startsWith('..') ? name.slice(1) : name.replace(/^#(.*)#$/, '$1')
  let original = bare.replace(copyNumber, '')
  while (copyEnding.test(original)) original = original.replace(copyEnding, '')
  return original
}

const latin1 = new TextDecoder('latin1')
const utf8Mark = '\u00ef\u00bb\u00bf'

/** The text of a file as far as names and keys go. UTF-16 counts when the file says so in its first two bytes. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const text = latin1.decode(bytes)
  return text.startsWith(utf8Mark) ? text.slice(utf8Mark.length) : text
}

/** Bytes of a file that are looked at. */
export const secretContentBytes = 256 * 1024

/**
 * A line with which a private key begins, in the forms of OpenSSL, OpenSSH, GnuPG and PuTTY. A carriage return alone
 * ends a line too: `^` knows that here, and in `secretContentPattern` it is written out. So does a NUL, as before the
 * files of an archive.
 */
const keyLine =
  /(?:^|\0)(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d+:|AGE-SECRET-KEY-1)/m

/** The key of a service account, which is one JSON string, sometimes on a line of its own. */
const keyInJson = /"private_key"\s*:\s*"-----BEGIN|^[ \t]*"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/m

/** Tokens that cannot be mistaken for anything else, because their issuers gave them a prefix. */
export const tokens =
  /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,}|sk-ant-[A-Za-z0-9_-]{40,}|sk-proj-[A-Za-z0-9_-]{40,}|sk_live_[A-Za-z0-9]{24,}|xox[abprs]-[A-Za-z0-9-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hv[bs]\.[A-Za-z0-9_-]{24,}|dop_v1_[a-f0-9]{64}|SG\.[\w-]{22}\.[\w-]{43})\b/

/** Files of settings. In source code, a token is more often an example or a test. */
const settingsFile =
  /(^|\/)[^/.]+$|(^|\/)\.[^/]*$|\.(json|jsonc|ya?ml|toml|ini|cfg|conf|config|properties|xml|txt|rc)$/i

/**
 * True when the content of a file says that it holds a key or a token, whatever its name. Only the first
 * `secretContentBytes` bytes count.
 */
export function holdsSecret(path: VirtualPath, bytes: Uint8Array): boolean {
  const text = textOf(bytes.subarray(0, secretContentBytes))
  if (keyLine.test(text) || keyInJson.test(text)) return true
  return settingsFile.test(path) && tokens.test(text)
}

/**
 * What `holdsSecret` looks for and perhaps more, as one regular expression that ripgrep understands too. What a letter
 * is differs between the two, so tokens may stand anywhere.
 */
export const secretContentPattern = [
  '(^|\\r)([ \\t]*")?-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY',
  '(^|\\r)PuTTY-User-Key-File-',
  '(^|\\r)AGE-SECRET-KEY-1',
  '"private_key"\\s*:\\s*"-----BEGIN',
  tokens.source.replaceAll('(?:', '(').replaceAll('\\b', ''),
].join('|')
