// `npm test`: runs everything: check and build, unit, contract and property tests, integration tests, and components
// and the whole app in a real browser. As root, what meets the system runs again as an ordinary user.

import { desktopTests } from './desktop-tests.mjs'
import { findBrowser, prepareBrowsers } from './find-browser.mjs'
import { prepareSandbox } from './find-sandbox.mjs'
import { ordinaryUserTests } from './ordinary-user.mjs'
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
} from './steps.mjs'

function endToEnd(browser) {
  return browser ? playwrightTests(browser, ['--project=web']) : { passed: 0, failed: 1, skipped: 0 }
}

const [built, ...checked] = await sideBySide([buildStep, ...checks])
const isBuilt = built.failed === 0
const sized = isBuilt ? step('Size of the first load', () => tool('node', ['scripts/check-size.mjs'])) : noTests
const packed = isBuilt ? step('The npm package', () => tool('node', ['scripts/package/check-package.mjs'])) : noTests
prepareSandbox()
const browsers = prepareBrowsers()
const tested = engineTests()
await browsers
const browser = findBrowser()
const drawn = componentTests(browser)
const driven = isBuilt ? add(endToEnd(browser), desktopTests()) : noTests
const again = ordinaryUserTests({ isBuilt })
close([built, ...checked, sized, packed, tested, drawn, driven, again].reduce(add))
