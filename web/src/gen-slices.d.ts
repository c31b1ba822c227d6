type Slices = typeof import('../vite/catalog-slices')['slices']
/** What vite/catalog-slices.ts makes of gen/catalog.json. */
type Slice<Name extends keyof Slices> = ReturnType<Slices[Name]>

declare module '*/catalog.json?brand' {
  export const { brand }: Slice<'brand'>
}

declare module '*/catalog.json?cards' {
  export const { benefits, cards }: Slice<'cards'>
}

declare module '*/catalog.json?changes' {
  export const { changes }: Slice<'changes'>
}

declare module '*/catalog.json?campaign' {
  export const { inCampaign }: Slice<'campaign'>
}

declare module '*/catalog.json?campaignCoupon' {
  export const { campaignCouponId }: Slice<'campaignCoupon'>
}

declare module '*/catalog.json?months' {
  type Slice = ReturnType<typeof import('../vite/catalog-slices')['slices']['months']>
  export const months: Slice['months']
  export const campaignCouponId: Slice['campaignCouponId']
}

declare module '*/catalog.json?names' {
  export const { names }: Slice<'names'>
}

declare module '*/catalog.json?promotions' {
  export const { named, other, defaultCode, campaignCouponId }: Slice<'promotions'>
}

declare module '*/catalog.json?fits' {
  export const { fits }: Slice<'fits'>
}

declare module '*/catalog.json?comparison' {
  export const { columns }: Slice<'comparison'>
}
