/** The path between the origin of a service and the paths of its API ("Conventions"). */
export const API_PATH = '/api/v1/whatsapp/external';
