// `npm run check`: format, lint, types, structure and fixed waits. Fast enough for every commit.
import { add, checks, close, sideBySide } from './steps.mjs'

close((await sideBySide(checks)).reduce(add))
