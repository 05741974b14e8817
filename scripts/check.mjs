// `npm run check`: fast enough for every commit. Format, lint, types, directions, unit tests.
import { add, checks, close, sideBySide, unitTests } from './steps.mjs'

close([...(await sideBySide(checks)), unitTests()].reduce(add))
