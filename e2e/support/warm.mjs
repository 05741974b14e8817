import { existsSync, readdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A process that has read the built app and waits for its command line. It then becomes what `bin/coppice.mjs` would
 * have been: it runs the same entry, with the arguments, the environment and the folder that it is given.
 */
const root = join(import.meta.dirname, '../..')
const bin = join(root, 'bin/coppice.mjs')
const chunks = join(root, 'out/main/chunks')

// The first one of them compiles the app, the others find it compiled.
enableCompileCache(join(root, 'out/compiled'))

// Whoever started it is gone: nobody will come.
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

/** Only the modules that the entry loads by name: reading them does nothing but define things. */
const served = existsSync(chunks) ? readdirSync(chunks).filter((name) => /^serve-.*\.js$/.test(name)) : []
for (const name of served) await import(pathToFileURL(join(chunks, name)).href)
process.send('warm')
