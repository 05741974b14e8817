// `npm test`: runs everything: check and build, unit, contract, property and integration tests, and components and the
// whole app in a real browser. As root, an ordinary user runs it, and root again what does something else for root.
// With `--full`, laws are tried with five times as many inputs, and long walks of the window run too, as each night.

import { desktopTests } from './desktop-tests.mjs'
import { findBrowser, prepareBrowsers } from './find-browser.mjs'
import { prepareSandbox } from './find-sandbox.mjs'
import { aboutRoot, ordinaryUser } from './ordinary-user.mjs'
import {
  add,
  buildStep,
  checks,
  close,
  componentTests,
  engineTests,
  noTests,
  playwrightTests,
  sideBySide,
  step,
  tool,
  vitestTests,
} from './steps.mjs'

if (process.argv.includes('--full')) process.env.COPPICE_TEST_SIZE = 'full'

function endToEnd(browser, args, as) {
  return browser ? playwrightTests(browser, ['--project=web', ...args], as) : { passed: 0, failed: 1, skipped: 0 }
}

function rootTests(browser) {
  const title = 'What does something else for root'
  const files = process.argv.includes('--full') ? [...aboutRoot.files, ...aboutRoot.nightly] : aboutRoot.files
  const tested = vitestTests(title, 'root', ['unit', 'processes', 'integration'], files)
  return isBuilt ? add(tested, endToEnd(browser, aboutRoot.specs)) : tested
}

const [built, ...checked] = await sideBySide([buildStep, ...checks])
const isBuilt = built.failed === 0
const sized = isBuilt ? step('Size of the first load', () => tool('node', ['scripts/check-size.mjs'])) : noTests
const packed = isBuilt ? step('The npm package', () => tool('node', ['scripts/package/check-package.mjs'])) : noTests
prepareSandbox()
const browsers = prepareBrowsers()
const user = ordinaryUser()
const tested = engineTests(user)
await browsers
const browser = findBrowser()
const drawn = componentTests(browser)
const driven = isBuilt ? add(endToEnd(browser, [], user), desktopTests()) : noTests
const again = user ? rootTests(browser) : noTests
close([built, ...checked, sized, packed, tested, drawn, driven, again].reduce(add))
