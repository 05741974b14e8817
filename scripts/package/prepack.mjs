// Before `npm pack` and `npm publish`: builds the app and collects the licences of what is in it.
import { buildStep, tool } from '../steps.mjs'
import { writeLicences } from './write-licences.mjs'

const [, name, args] = buildStep
const status = tool(name, args)
if (status !== 0) process.exit(status)
process.stderr.write(`Collected the licences of ${writeLicences()} packages.\n`)
