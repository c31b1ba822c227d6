export { PaymentSuccess as default } from '../../features/checkout/payment-success'
