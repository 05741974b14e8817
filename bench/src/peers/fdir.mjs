// Lists all files of a folder with fdir; answers with how many there are.
import { fdir } from 'fdir'
import { serve } from './serve.mjs'

serve(async ({ folder }) => (await new fdir().withRelativePaths().crawl(folder).withPromise()).length)
