import { paths } from '../../lib/paths'

/** The anchor on the privacy page that explains the choice; links to it open the choice itself. */
export const PREFERENCES = `${paths.privacy}#preferencias`
