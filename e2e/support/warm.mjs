import { existsSync, readdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A process that has loaded the built app and waits for its command line. Then it does what `bin/coppice.mjs` does:
 * it runs the same entry with the given arguments, environment and folder.
 */
const root = process.env.COPPICE_APP_ROOT ?? join(import.meta.dirname, '../..')
const compiled = join(import.meta.dirname, '../../out/compiled')
const bin = join(root, 'bin/coppice.mjs')
const chunks = join(root, 'out/main/chunks')

// The first process compiles the app; the others reuse its compiled code.
enableCompileCache(compiled)

// The parent process is gone, so no command line will come.
process.on('disconnect', stop)
process.once('message', ({ args, env, cwd }) => {
  process.off('disconnect', stop)
  process.disconnect()
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, bin, ...args]
  void import(pathToFileURL(bin).href)
})

function stop() {
  process.exit(0)
}

/** Loads only the modules that the entry imports by name. Loading them has no effect beyond their definitions. */
const served = existsSync(chunks) ? readdirSync(chunks).filter((name) => /^serve-.*\.js$/.test(name)) : []
for (const name of served) await import(pathToFileURL(join(chunks, name)).href)
process.send('warm')
