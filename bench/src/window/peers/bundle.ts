import { join } from 'node:path'
import { build } from 'vite'

/** A page whose script is a file of this folder, bundled with its imports. */
export async function bundledPage(file: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, rollupOptions: { input: join(import.meta.dirname, file) } },
  })
  const [output] = [built].flat()
  const script = output && 'output' in output ? output.output.find(({ type }) => type === 'chunk') : undefined
  if (script?.type !== 'chunk') throw new Error(`${file} was not built`)
  const code = script.code.replaceAll('</script', '<\\/script')
  return `<!doctype html><meta charset="utf-8"><title>Peer</title><body style="margin:0"><script type="module">${code}</script>`
}
