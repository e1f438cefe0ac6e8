// Names of the DOM that h3's declarations use and Node's lack; without them they would be `any`.
type BodyInit = NonNullable<RequestInit['body']>;
type HeadersInit = NonNullable<RequestInit['headers']>;
