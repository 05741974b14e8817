import type { ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { startCoppice } from '../../../e2e/support/coppice.ts'

/** `coppice serve` as a separate process, from the built app of this or another checkout. */
export interface Served extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

export async function serve(
  dataFolder: string,
  folder: string | null,
  environment: Readonly<Record<string, string>> = {},
  build?: string,
): Promise<Served> {
  const args = ['serve', ...(folder === null ? [] : [folder]), '--port', '0', '--no-open', '--data-dir', dataFolder]
  const child = startCoppice(args, { ANTHROPIC_API_KEY: 'sk-bench', ...environment }, undefined, build)
  const url = await urlOf(child)
  return { url, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => ended(child) }
}

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /http:\/\/\S+#token=\S+/.exec(output)?.[0]
      if (url) resolve(url)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('exit', (code) => reject(new Error(`coppice serve ended with ${code}: ${output}`)))
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve())
    if (!child.kill('SIGTERM')) resolve()
  })
}

export interface Memory {
  readonly nowMb: number
  /** The most megabytes it ever held, or the current ones if the system does not record the peak. */
  readonly peakMb: number
}

export function memoryOf(pid: number): Memory {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) {
    const nowMb = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
    return { nowMb, peakMb: nowMb }
  }
  const text = readFileSync(status, 'utf8')
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024
  return { nowMb: field('VmRSS'), peakMb: field('VmHWM') }
}
