/** What vite/catalog-slices.ts makes of gen/catalog.json. */
declare module '*/catalog.json?brand' {
  export const brand: typeof import('./gen/catalog.json')['brand']
}

declare module '*/catalog.json?cards' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['cards']>
  export const benefits: Slice['benefits']
  export const cards: Slice['cards']
}

declare module '*/catalog.json?changes' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['changes']>
  export const changes: Slice['changes']
}

declare module '*/catalog.json?campaign' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['campaign']>
  export const inCampaign: Slice['inCampaign']
}

declare module '*/catalog.json?months' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['months']>
  export const months: Slice['months']
  export const campaignCouponId: Slice['campaignCouponId']
}

declare module '*/catalog.json?names' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['names']>
  export const names: Slice['names']
}

declare module '*/catalog.json?promotions' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['promotions']>
  export const named: Slice['named']
  export const other: Slice['other']
  export const defaultCode: Slice['defaultCode']
  export const campaignCouponId: Slice['campaignCouponId']
}

declare module '*/catalog.json?fits' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['fits']>
  export const fits: Slice['fits']
}

declare module '*/catalog.json?comparison' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['comparison']>
  export const columns: Slice['columns']
}
