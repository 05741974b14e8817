// Runs the end-to-end specs on Electron if its binary is installed. Otherwise skips them and says so.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { playwrightTests, root } from './steps.mjs'

/** The path of the binary that the electron package has fetched. Never asks the package to fetch one. */
function electronBinary() {
  const pathFile = join(root, 'node_modules/electron/path.txt')
  const binary = existsSync(pathFile)
    ? join(root, 'node_modules/electron/dist', readFileSync(pathFile, 'utf8'))
    : undefined
  return binary && existsSync(binary) ? binary : undefined
}

/** `strict` makes a missing binary a failure. */
export function desktopTests({ strict = false } = {}) {
  const binary = electronBinary()
  if (binary) return playwrightTests(binary, ['--project=desktop'])
  process.stdout.write(
    '\nSkipped: end-to-end specs on Electron, because its binary is not on this machine (npx install-electron fetches it).\n',
  )
  return strict ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 }
}
