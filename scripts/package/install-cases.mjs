// The machines on which the package must install: each case is an environment and a way to install.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startProxy } from './connect-proxy.mjs'
import { run } from './prove-installed.mjs'

/** `node` and `npm` are majors; the rest says how the machine differs from an ordinary one. */
export const cases = {
  'node20-npm10': { node: 20, npm: 10 },
  'node20-npm11': { node: 20, npm: 11 },
  'node24-npm11': { node: 24, npm: 11 },
  'without-git': { node: 20, npm: 10, without: ['git'] },
  'without-bash': { node: 20, npm: 10, without: ['bash'] },
  'odd-home': { node: 20, npm: 10, home: 'Zoë’s home – 家' },
  'ordinary-user': { node: 20, npm: 10, user: true },
  'read-only': { node: 20, npm: 10, user: true, readOnly: true },
  'behind-proxy': { node: 20, npm: 10, proxy: true },
  global: { node: 20, npm: 10, by: 'global' },
  npx: { node: 20, npm: 10, by: 'npx' },
}

/** A folder with links to every program of the system except Node, npm and those left out. */
function makePath(folder, { nodePath, npmCli, without = [] }) {
  mkdirSync(folder, { recursive: true })
  const left = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack', ...without])
  for (const from of ['/usr/bin', '/bin', '/usr/sbin', '/sbin'])
    for (const name of readdirSync(from)) {
      if (left.has(name) || without.some((one) => name.startsWith(`${one}-`))) continue
      left.add(name)
      symlinkSync(join(from, name), join(folder, name))
    }
  symlinkSync(nodePath, join(folder, 'node'))
  for (const name of ['npm', 'npx']) {
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\nexec "${join(folder, 'node')}" "${join(npmCli, `${name}-cli.js`)}" "$@"\n`)
    chmodSync(file, 0o755)
  }
  return folder
}

/** The environment of a machine with nothing but this. Certificates and registry are those of the machine. */
function bareEnvironment(home, path) {
  const carried = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'npm_config_registry', 'npm_config_cafile']
  const certificates = carried.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))
  return {
    ...Object.fromEntries(certificates),
    HOME: home,
    PATH: path,
    LANG: 'C.UTF-8',
    TMPDIR: join(dirname(home), 'tmp'),
  }
}

/**
 * Makes the machine of a case below `folder` and installs the package in it. Returns how to start Coppice there, and
 * what to say about it.
 */
export async function installCase(name, { folder, file, nodes, npms, user }) {
  const wanted = cases[name]
  const home = join(folder, wanted.home ?? 'home')
  const place = join(home, 'project')
  for (const made of [place, join(folder, 'tmp'), join(folder, 'scratch')]) mkdirSync(made, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{}\n')
  const without = wanted.without ?? []
  const path = makePath(join(folder, 'bin'), { nodePath: nodes[wanted.node], npmCli: npms[wanted.npm], without })
  if (wanted.user) spawnSync('chown', ['-R', user.join(':'), home, join(folder, 'tmp'), join(folder, 'scratch')])
  const as = wanted.user ? ['setpriv', `--reuid=${user[0]}`, `--regid=${user[1]}`, '--clear-groups', '--'] : []
  const proxy = wanted.proxy ? await startProxy(join(folder, 'proxy.log')) : null
  const env = {
    ...bareEnvironment(home, path),
    ...(proxy && { HTTPS_PROXY: proxy.url, npm_config_https_proxy: proxy.url }),
  }
  const started = Date.now()
  const start = install(wanted, { as, place, file, env, home })
  if (wanted.readOnly) spawnSync('chmod', ['-R', 'a-w', place])
  const seconds = ((Date.now() - started) / 1000).toFixed(0)
  const asked = proxy ? proxy.hosts() : []
  proxy?.close()
  if (proxy && asked.length === 0) throw new Error('npm asked the proxy for nothing')
  const scratch = join(folder, 'scratch')
  return {
    start,
    env,
    cwd: scratch,
    scratch,
    note: `installed in ${seconds} s${proxy ? ` through a proxy (${asked})` : ''}`,
  }
}

function install({ by = 'folder' }, { as, place, file, env, home }) {
  const npm = (args) => run([...as, 'npm', ...args, '--no-audit', '--no-fund'], { env, cwd: place })
  if (by === 'npx') return [...as, 'npx', '--yes', '--package', file, 'coppice']
  if (by === 'global') {
    const prefix = join(home, 'global')
    npm(['install', '--global', '--prefix', prefix, file])
    return [...as, join(prefix, 'bin/coppice')]
  }
  npm(['install', file])
  return [...as, join(place, 'node_modules/.bin/coppice')]
}
