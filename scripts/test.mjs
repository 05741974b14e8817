// `npm test`: everything. Check, unit, contract and property tests, the build, and the whole app in a real browser.

import { desktopTests } from './desktop-tests.mjs'
import { findBrowser } from './find-browser.mjs'
import { add, checkSteps, close, noTests, playwrightTests, step, tool, unitTests } from './steps.mjs'

function endToEnd() {
  const browser = findBrowser()
  return browser ? playwrightTests(browser, ['--project=web']) : { passed: 0, failed: 1, skipped: 0 }
}

const checked = add(checkSteps(), unitTests())
const built = step('Build', () => tool('electron-vite', ['build', '--logLevel', 'warn']))
const sized =
  built.failed === 0 ? step('Size of the first load', () => tool('node', ['scripts/check-size.mjs'])) : noTests
const driven = built.failed === 0 ? add(endToEnd(), desktopTests()) : noTests
close([checked, built, sized, driven].reduce(add))
