// `npm run smoke:setup [-- BRANCHES]`: sets up a real npm project from the registry, kills one setup on the way, and runs the
// project's own tests in parallel branches. Costs nothing but needs the network, so no test runs it. Build first.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { byTask } from '../e2e/model-server/scenario.ts'
import { coppice, environment, type RunEvent } from '../e2e/support/coppice.ts'

const branches = Number(process.argv[2] ?? 12)
const scratch = mkdtempSync(join(tmpdir(), 'coppice-smoke-setup-'))
const [project, plain, data] = [join(scratch, 'project'), join(scratch, 'plain'), join(scratch, 'data')]
/** Both installs begin with an empty cache of packages, each with a home of its own. */
const [home, plainHome] = [join(scratch, 'home'), join(scratch, 'plain-home')]
const { NODE_EXTRA_CA_CERTS: authorities } = process.env
const certificates: Readonly<Record<string, string>> =
  authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }
const names = Array.from({ length: branches }, (_, index) => `part${index}`)

function writeProject(): void {
  mkdirSync(join(project, 'test'), { recursive: true })
  const [dependencies, devDependencies] = [{ express: '^4' }, { mocha: '^10', supertest: '^6' }]
  const manifest = { name: 'sample', version: '1.0.0', scripts: { test: 'mocha' }, dependencies, devDependencies }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n')
  writeFileSync(
    join(project, 'test/app.js'),
    `const [request, express] = [require('supertest'), require('express')]
it('answers', (done) => {
  const app = express().get('/', (_, response) => response.send('hi'))
  request(app).get('/').expect(200, 'hi', done)
})\n`,
  )
  execFileSync('npm', ['install', '--package-lock-only', '--silent'], { cwd: project })
  cpSync(project, plain, { recursive: true })
  for (const folder of [home, plainHome]) mkdirSync(folder)
  execFileSync('npm', ['ci', '--silent'], { cwd: plain, env: environment({ ...certificates, HOME: plainHome }) })
}

/** The bytes of all files below a folder. */
function bytesOf(folder: string): number {
  return Number(execFileSync('du', ['-sb', folder]).toString().split('\t')[0])
}

function textOf({ result }: RunEvent): string {
  return (result as { content: { text?: string }[] }).content.map(({ text = '' }) => text).join('')
}

const failures: string[] = []
function check(what: string, holds: boolean): void {
  process.stdout.write(`${holds ? 'ok' : 'FAILED'}: ${what}\n`)
  if (!holds) failures.push(what)
}

try {
  writeProject()
  const parts = names.map((name) => [name, [{ calls: [{ name: 'execute', input: { command: 'npm test' } }] }]] as const)
  const tasks = names.map((name) => ({ task: name, name }))
  await using server = await startModelServer(
    byTask({ ...Object.fromEntries(parts), main: [{ calls: [{ name: 'spawn_subagents', input: { tasks } }] }] }),
  )
  const access = { ...certificates, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url, HOME: home }
  const run = ['run', project, '--task', 'main', '--json', '--approve', 'all', '--setup', 'auto', '--data-dir', data]
  await coppice(run, access, {
    during: (child, stdout) => void (stdout.includes('"kind":"running"') && child.kill('SIGKILL')),
  })
  const [stored = ''] = readdirSync(join(data, 'projects'))
  const environments = join(data, 'projects', stored, 'environments')
  const half = existsSync(environments) ? readdirSync(environments).filter((name) => !name.startsWith('.')) : []
  check('a setup that is killed leaves nothing', half.length === 0)

  const { events, stderr } = await coppice(run, access)
  process.stderr.write(stderr)
  const setups = events.filter(({ type }) => type === 'setup.changed').map(({ setup }) => JSON.stringify(setup))
  check('the next run sets up once', setups.filter((text) => text.includes('"ready"')).length === 1)
  const results = events.filter(({ type, name }) => type === 'tool.finished' && name === 'execute').map(textOf)
  const green = results.filter((text) => /1 passing[\s\S]*Exit code 0/.test(text)).length
  check(`the project's tests are green in ${green} of ${branches} branches`, green === branches)
  const installed = bytesOf(join(plain, 'node_modules'))
  const share = bytesOf(environments) / (installed + bytesOf(plainHome))
  const ofPackages = (bytesOf(environments) / installed).toFixed(2)
  check(
    `all take ${share.toFixed(2)} times the disk of one install (${ofPackages} of its packages alone)`,
    share <= 1.1,
  )
  check('the folder of the project is as it was', !existsSync(join(project, 'node_modules')))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = failures.length === 0 ? 0 : 1
