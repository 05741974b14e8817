// `npm run components [-- PATH …]`: only the tests of the window's components, in a browser.
import { findBrowser } from './find-browser.mjs'
import { close, componentTests } from './steps.mjs'

close(componentTests(findBrowser(), process.argv.slice(2)))
