/** Answers a request of the web platform. */
export type Fetch = (request: Request) => Response | Promise<Response>;
