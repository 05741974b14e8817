import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface ServedApp {
  readonly url: string
  stop(): void
}

/** Starts the built app for a browser. It gets no key of the person, only the variables that are `given`. */
export async function serveApp(dataFolder: string, given: NodeJS.ProcessEnv = {}): Promise<ServedApp> {
  const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const { ANTHROPIC_API_KEY: _key, ...own } = process.env
  const args = [join(root, 'bin/coppice.mjs'), 'serve', '--port', '0', '--no-open', '--data-dir', dataFolder]
  const child = spawn(node, args, { env: { ...own, ...given }, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
      const found = /http:\/\/\S+/.exec(output)
      if (found) resolve(found[0])
    })
    child.on('exit', (code) => reject(new Error(`coppice serve ended with ${code}: ${output}`)))
  })
  return { url, stop: () => void child.kill() }
}
