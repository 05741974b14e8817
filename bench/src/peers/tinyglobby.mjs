// Finds files by name with tinyglobby. Answers with their number.
import { glob } from 'tinyglobby'
import { serve } from './serve.mjs'

serve(async ({ folder, pattern }) => (await glob(pattern, { cwd: folder, dot: true })).length)
