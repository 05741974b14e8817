/** Where granted hosts are reached. */
export interface ProxyAddress {
  readonly host: string
  readonly port: number
  /** How the proxy knows the command. Null where nothing else reaches the proxy there. */
  readonly login: { readonly user: string; readonly password: string } | null
}

type Variables = Readonly<Record<string, string>>

/** What each client reads. Those that read the usual variables need no line: curl, git, pip, uv, cargo, Go, Bun, npm. */
const clients: readonly ((proxy: ProxyAddress, url: string) => Variables)[] = [
  usual,
  // Node's own `fetch` and `http`: https://nodejs.org/api/cli.html#node_use_env_proxy1
  () => ({ NODE_USE_ENV_PROXY: '1' }),
  // Yarn 2 and later read settings alone: https://yarnpkg.com/configuration/yarnrc#httpProxy
  (_, url) => ({ YARN_HTTP_PROXY: url, YARN_HTTPS_PROXY: url }),
  // Maven reads settings alone, unless it is told to look at the properties of Java.
  (proxy) => ({ MAVEN_OPTS: ['-Daether.connector.http.useSystemProperties=true', ...javaProperties(proxy)].join(' ') }),
  (proxy) => ({ GRADLE_OPTS: javaProperties(proxy).join(' ') }),
]

/** The variables of a command that may reach hosts. One that may not has none of them, so that nothing tells it of a proxy. */
export function proxyVariables(proxy: ProxyAddress): Variables {
  const { host, port, login } = proxy
  const who = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  const url = `http://${who}${host}:${port}`
  return Object.assign({}, ...clients.map((variablesOf) => variablesOf(proxy, url)))
}

function usual(_: ProxyAddress, url: string): Variables {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const local = 'localhost,127.0.0.1,::1'
  return { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: local, no_proxy: local }
}

/** Java sends no password through a tunnel until that is allowed, and many of its clients know none for a proxy at all. */
function javaProperties({ host, port, login }: ProxyAddress): readonly string[] {
  const each = ['http', 'https'].flatMap((scheme) => [
    `-D${scheme}.proxyHost=${host}`,
    `-D${scheme}.proxyPort=${port}`,
    ...(login ? [`-D${scheme}.proxyUser=${login.user}`, `-D${scheme}.proxyPassword=${login.password}`] : []),
  ])
  return login ? [...each, '-Djdk.http.auth.tunneling.disabledSchemes='] : each
}
