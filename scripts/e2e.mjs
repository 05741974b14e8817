// `npm run e2e [-- …]` and `npm run e2e:desktop`: only the end-to-end specs, on a fresh build.
import { desktopTests } from './desktop-tests.mjs'
import { findBrowser } from './find-browser.mjs'
import { close, playwrightTests, step, tool } from './steps.mjs'

const args = process.argv.slice(2)
// Specs that somebody names run whole, with the walks that `npm test` leaves to the night.
if (args.some((arg) => !arg.startsWith('-'))) process.env.COPPICE_TEST_SIZE ??= 'full'
const built = step('Build', () => tool('electron-vite', ['build', '--logLevel', 'warn']))
if (built.failed > 0) close(built)
if (args.includes('--desktop')) close(desktopTests({ strict: args.includes('--strict') }))
const browser = findBrowser()
close(browser ? playwrightTests(browser, ['--project=web', ...args]) : { passed: 0, failed: 1, skipped: 0 })
