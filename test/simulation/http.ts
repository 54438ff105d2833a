/** A request as it arrives at the service. */
export interface ServiceRequest {
	method: string;
	/** Below the base URL. */
	path: string;
	query: Record<string, unknown>;
	body: Record<string, unknown>;
}

/** What the service answers. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, string>;
	body: Record<string, unknown>;
}
