// `npm run check`: fast enough for every commit. Format, lint, types, directions, unit tests.
import { add, checkSteps, close, unitTests } from './steps.mjs'

close(add(checkSteps(), unitTests()))
