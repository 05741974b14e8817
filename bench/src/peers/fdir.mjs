// Lists all files of a folder with fdir. Answers with their number.
import { fdir } from 'fdir'
import { serve } from './serve.mjs'

serve(async ({ folder }) => (await new fdir().withRelativePaths().crawl(folder).withPromise()).length)
