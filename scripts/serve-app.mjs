import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './steps.mjs'

/** Starts the built app for a browser. Returns its address, and what ends it. It gets no key of the person. */
export async function serveApp(dataFolder) {
  const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const { ANTHROPIC_API_KEY: _key, ...env } = process.env
  const args = [join(root, 'bin/coppice.mjs'), 'serve', '--port', '0', '--no-open', '--data-dir', dataFolder]
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
      const found = /http:\/\/\S+/.exec(output)
      if (found) resolve(found[0])
    })
    child.on('exit', (code) => reject(new Error(`coppice serve ended with ${code}: ${output}`)))
  })
  return { url, stop: () => child.kill() }
}
