// `npm run check`: format, lint, types, import directions and unit tests. Fast enough for every commit.
import { add, checks, close, sideBySide, unitTests } from './steps.mjs'

close([...(await sideBySide(checks)), unitTests()].reduce(add))
