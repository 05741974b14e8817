// Proves that an installed Coppice works: its doctor, the demo from the command line, and its window in a browser.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'

const most = 120_000

/**
 * `start` is the command line that starts Coppice, `env` its whole environment and `scratch` a folder that it may
 * write. `browser` null leaves out the window. Returns one sentence for each proof; throws at the first that fails.
 */
export async function proveInstalled({ start, env, cwd, scratch, browser }) {
  const data = join(scratch, 'data')
  const call = (args, ok = [0]) => run([...start, ...args], { env: { ...env, COPPICE_DATA_DIR: data }, cwd, ok })
  const version = call(['--version']).trim()
  const doctor = call(['doctor'], [0, 1])
  const broken = doctor.split('\n').filter((line) => line.startsWith('BROKEN'))
  if (broken.length > 0) throw new Error(`doctor: ${broken.join('; ')}`)
  const node = /Node\s+(v\S+)/.exec(doctor)?.[1]
  const report = runDemo(call, scratch)
  const window =
    browser === null ? 'no window' : await proveWindow({ start, env, cwd, data: `${data}-window`, browser })
  return `${version} on Node ${node}; doctor ok; demo ${report}; ${window}`
}

/** Runs a command line to its end and returns what it printed. */
export function run([program, ...args], { env, cwd, ok = [0] }) {
  const options = { env, cwd, encoding: 'utf8', timeout: most, maxBuffer: 64 * 1024 * 1024 }
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  if (error) throw error
  if (!ok.includes(status))
    throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr.slice(-1500)}${stdout.slice(-800)}`)
  return stdout
}

function runDemo(call, scratch) {
  const project = join(scratch, 'tally')
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  cpSync(join(root, 'resources/demo/tally'), project, { recursive: true })
  const args = ['run', project, '--model', 'demo', '--task', 'Fix the totals', '--approve', 'all', '--trust', '--json']
  const report = JSON.parse(call(args).trim().split('\n').at(-1))
  if (report.status !== 'done') throw new Error(`the demo ended as ${report.status}: ${report.message}`)
  return `changed ${report.changes.written.length} files`
}

async function proveWindow({ start, env, cwd, data, browser }) {
  const { chromium } = await import('@playwright/test')
  const { launchOptions } = await import('../browser-options.ts')
  const [program, ...args] = [...start, 'serve', '--port', '0', '--no-open']
  const host = spawn(program, args, { env: { ...env, COPPICE_DATA_DIR: data }, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const opened = await chromium.launch({ ...launchOptions, executablePath: browser })
  try {
    const page = await opened.newPage()
    const errors = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(await urlOf(host))
    await page.getByRole('button', { name: 'Try the demo' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByRole('button', { name: /^(Approve|Keep)$/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Review changes' }).waitFor({ timeout: 60_000 })
    if (errors.length > 0) throw new Error(`the page threw ${errors.join('; ')}`)
    return 'its window did the demo'
  } finally {
    await opened.close()
    host.kill('SIGTERM')
  }
}

function urlOf(host) {
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [host.stdout, host.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        const url = /http:\/\/\S+#token=\S+/.exec(output)?.[0]
        if (url) resolve(url)
      })
    host.on('error', reject)
    host.on('exit', (code) => reject(new Error(`coppice serve ended with ${code}: ${output}`)))
  })
}
