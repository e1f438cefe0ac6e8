import type Stripe from 'stripe';

/** The SDK does not export this type under a name. */
type PresentPaymentMethodParams = NonNullable<
  Parameters<Stripe['testHelpers']['terminal']['readers']['presentPaymentMethod']>[1]
>;

/** The parameters of each call of the stand-in. */
export interface Requests {
  createPaymentIntent: Stripe.PaymentIntentCreateParams;
  retrievePaymentIntent: Stripe.PaymentIntentRetrieveParams;
  listPaymentIntents: Stripe.PaymentIntentListParams;
  updatePaymentIntent: Stripe.PaymentIntentUpdateParams;
  capturePaymentIntent: Stripe.PaymentIntentCaptureParams;
  cancelPaymentIntent: Stripe.PaymentIntentCancelParams;
  retrieveCharge: Stripe.ChargeRetrieveParams;
  createConnectionToken: Stripe.Terminal.ConnectionTokenCreateParams;
  createLocation: Stripe.Terminal.LocationCreateParams;
  deleteLocation: Stripe.Terminal.LocationDeleteParams;
  createReader: Stripe.Terminal.ReaderCreateParams;
  retrieveReader: Stripe.Terminal.ReaderRetrieveParams;
  processPaymentIntent: Stripe.Terminal.ReaderProcessPaymentIntentParams;
  presentPaymentMethod: PresentPaymentMethodParams;
  createRefund: Stripe.RefundCreateParams;
  listRefunds: Stripe.RefundListParams;
  listDisputes: Stripe.DisputeListParams;
  retrieveLocation: Stripe.Terminal.LocationRetrieveParams;
  createSetupIntent: Stripe.SetupIntentCreateParams;
  retrieveSetupIntent: Stripe.SetupIntentRetrieveParams;
  cancelSetupIntent: Stripe.SetupIntentCancelParams;
  listSetupIntents: Stripe.SetupIntentListParams;
  createCustomer: Stripe.CustomerCreateParams;
  listCustomers: Stripe.CustomerListParams;
  searchCustomers: Stripe.CustomerSearchParams;
  createCustomerSession: Stripe.CustomerSessionCreateParams;
  retrieveAccount: Stripe.AccountRetrieveParams;
}
