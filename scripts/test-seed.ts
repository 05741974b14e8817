import { configureGlobal } from 'fast-check'
import { testSeed } from '../src/main/core/ports/test-size.testkit.ts'

// Before each test file: properties that do not name a seed draw from this one.
configureGlobal({ seed: testSeed() })
